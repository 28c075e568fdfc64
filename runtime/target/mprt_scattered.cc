// mprt_scattered.cc - __mprt_scattered: what readv, recvmsg and their relatives have written.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// They fill buffers that a list names, one after the other, until the bytes that they return
// are used up. Each is a record of its own: no descriptor can say how many there are.
//
//     readv (fd, { { a, 100 }, { b, 50 } }, 2) = 120      WRITTEN a 100, WRITTEN b 20
//
// A message has a list, a name and control data; what it says of their lengths is new, too.
// getsockopt and accept fill one buffer, of a length that they write next to it.

#include "mprt_internal.h"

#include <sys/socket.h>
#include <sys/uio.h>

using namespace mprt;

static void
written (const void *where, uint64_t bytes)
{
  if (where && bytes)
    emit (MPRT_WRITTEN, as_long (where), bytes);
}

static void
list_written (const struct iovec *list, uint64_t count, uint64_t bytes)
{
  for (uint64_t i = 0; i < count && bytes; i++)
    {
      uint64_t here = list[i].iov_len < bytes ? list[i].iov_len : bytes;
      written (list[i].iov_base, here);
      bytes -= here;
    }
}

static void
message_written (const struct msghdr *message, uint64_t bytes)
{
  if (message->msg_name)
    written (message->msg_name, message->msg_namelen);
  written (&message->msg_namelen, sizeof message->msg_namelen);
  written (message->msg_control, message->msg_controllen);
  written (&message->msg_controllen, sizeof message->msg_controllen);
  written (&message->msg_flags, sizeof message->msg_flags);
  list_written (message->msg_iov, message->msg_iovlen, bytes);
}

// An address may be longer than its buffer, of which the call does not tell.
static void
buffer_written (const void *buffer, uint64_t length_address)
{
  const uint32_t *length = at<const uint32_t> (length_address);
  if (!length)
    return;
  constexpr uint64_t k_most = sizeof (struct sockaddr_storage);
  written (buffer, *length < k_most ? *length : k_most);
  written (length, sizeof *length);
}

void
__mprt_scattered (const void *list, uint64_t count, int64_t result, uint64_t kind)
{
  if (result < 0 || !recording ())
    return;
  uint64_t done = static_cast<uint64_t> (result);
  if (kind == MPRT_SCATTERED_BUFFER)
    buffer_written (list, count);
  else if (kind == MPRT_SCATTERED_LIST)
    list_written (static_cast<const struct iovec *> (list), count, done);
  else if (kind == MPRT_SCATTERED_MESSAGE)
    message_written (static_cast<const struct msghdr *> (list), done);
  else
    {
      const struct mmsghdr *message = static_cast<const struct mmsghdr *> (list);
      for (uint64_t i = 0; i < done && i < count; i++)
	{
	  written (&message[i].msg_len, sizeof message[i].msg_len);
	  message_written (&message[i].msg_hdr, message[i].msg_len);
	}
    }
}
