# record_input.py - an input of the fuzz target `recorded' from a stream file, and inputs as text.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: record_input.py stream FILE >INPUT
       record_input.py streams PROFILE FILE >INPUT
       record_input.py text <INPUT >INPUT.hex
       record_input.py bytes <INPUT.hex >INPUT

stream: the texts of the header of a recorded stream and its frames.  streams: a profile and the file of
whole streams beside it.  text, bytes: an input with bytes that are no text as words of hexadecimal
digits, which may be repeated (00*5), since files of a repository are text; and back.
"""
import struct
import sys

# struct mprt_shared (runtime/wire/ring.h): offset and bytes of a text.
TEXTS = {"options": (8312, 512), "program": (120, 4096), "rank": (9080, 16),
         "command": (25480, 4096)}


def stream(path):
    with open(path, "rb") as f:
        data = f.read()
    _, _, size = struct.unpack_from("<QII", data)
    shared, frames = data[16:16 + size], data[16 + size:]
    words = []
    for offset, most in TEXTS.values():
        words.append(shared[offset:offset + most].split(b"\0")[0])
    # Where the stream went does not matter, and would be another file each time.
    words[0] = b":".join(w for w in words[0].split(b":") if not w.startswith(b"file="))
    return b"".join(w + b"\0" for w in words) + frames


def streams(profile, path):
    with open(profile, "rb") as f:
        text = f.read()
    with open(path, "rb") as f:
        return text + b"\0" + f.read()


def to_text(data):
    """Runs of one byte once, the rest in lines of 32 bytes."""
    out, plain, at = [], bytearray(), 0

    def flush():
        for i in range(0, len(plain), 32):
            out.append(bytes(plain[i:i + 32]).hex())
        plain.clear()
    while at < len(data):
        end = at
        while end < len(data) and data[end] == data[at]:
            end += 1
        if end - at > 6:
            flush()
            out.append(f"{data[at]:02x}*{end - at}")
        else:
            plain += data[at:end]
        at = end
    flush()
    return "\n".join(out) + "\n"


def to_bytes(text):
    out = bytearray()
    for word in text.split():
        digits, _, times = word.partition("*")
        out += bytes.fromhex(digits) * int(times or 1)
    return bytes(out)


def main(words):
    if words[:1] == ["stream"] and len(words) == 2:
        sys.stdout.buffer.write(stream(words[1]))
    elif words[:1] == ["streams"] and len(words) == 3:
        sys.stdout.buffer.write(streams(words[1], words[2]))
    elif words == ["text"]:
        sys.stdout.write(to_text(sys.stdin.buffer.read()))
    elif words == ["bytes"]:
        sys.stdout.buffer.write(to_bytes(sys.stdin.read()))
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main(sys.argv[1:])
