// main.cc - memprof-mpi-merge: memprof merge on all ranks of an MPI job.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   mpirun -n 4 memprof-mpi-merge -o sum.json '/scratch/prog.%r.json'
//
//   1. Each rank takes its inputs: a name with %r is every rank's own file, the others
//      are dealt out by turns.
//   2. The first input of all that is good becomes the reference, and each rank adds up
//      what it has (consumers/cli/merge_files.h).
//   3. The sums are reduced along a binomial tree:
//
//        0 <- 1   2 <- 3   4 <- 5   6        rank + 1 to rank
//        0 <----- 2        4 <----- 6        rank + 2 to rank
//        0 <-------------- 4                 rank + 4 to rank
//
//   4. Rank 0 writes.
//
// The reduction is what MPI_Reduce does with an operation of the user's, by hand, because
// MPI_Reduce wants all ranks to have buffers of one length, and a sum is as long as it is.
// Merging is associative and commutative to the byte, so the result is that of `memprof
// merge' on the same inputs in the same order (doc/scale.md).
//
// Only rank 0 speaks, and only its exit status is not 0 when something is wrong: one
// message, however many ranks.  When a rank dies, the launcher ends the others, and as
// the file is written last and in one step, nothing is left of it.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "consumers/cli/merge_files.h"
#include "consumers/mpi/message.h"
#include "consumers/mpi/ranks.h"
#include "feedback/file.h"
#include "feedback/writer.h"

namespace memprof::mpi {
namespace {

using namespace cli;

const Option k_options[] = {
    {"output", "FILE", "where rank 0 writes (also -o); must be given"},
    k_weighted_option,
    k_list_option,
    k_failure_option,
    {"num-threads", "N", "read with N threads on each rank (default: 1)"},
};

const Command k_command = {
    "memprof-mpi-merge",
    "PROFILE...",
    "add profiles on all ranks of an MPI job",
    "Writes what `memprof merge' would, to the byte.  A PROFILE with %r in its name is\n"
    "read by each rank, with the rank for %r; the others are dealt out to the ranks.\n"
    "Lists of profiles are read by rank 0.",
    k_options, 0, -1, false, nullptr};

constexpr std::uint64_t k_nowhere = std::numeric_limits<std::uint64_t>::max();

struct Request {
  std::string output;
  FailureMode mode = FailureMode::any;
  unsigned threads = 1;
  bool json = false;
  std::vector<Input> inputs;  // this rank's
};

// PATH with RANK for each %r; none if there is none.
std::optional<std::string> own_path(std::string path, int rank) {
  bool own = false;
  for (std::size_t at = 0; (at = path.find("%r", at)) != path.npos;) {
    const std::string number = std::to_string(rank);
    path.replace(at, 2, number);
    at += number.size();
    own = true;
  }
  if (!own) return std::nullopt;
  return path;
}

// The inputs of ALL that RANK reads.  Places leave room for every rank's own file.
std::vector<Input> dealt(const std::vector<Input>& all, int rank, int size) {
  std::vector<Input> inputs;
  std::uint64_t shared = 0;
  for (const Input& input : all) {
    const std::uint64_t place = input.place * std::uint64_t(size);
    if (const auto path = own_path(input.path, rank))
      inputs.push_back({*path, input.weight, place + std::uint64_t(rank)});
    else if (shared++ % std::uint64_t(size) == std::uint64_t(rank))
      inputs.push_back({input.path, input.weight, place});
  }
  return inputs;
}

// The list FILE, which rank 0 has read for all.
feedback::Result<std::string> shared_list(const Ranks& ranks, const std::string& file) {
  Packer out;
  if (ranks.rank() == 0) {
    const auto text = read_list(file);
    out.number(bool(text));
    out.text(text ? *text : text.error().text());
  }
  const std::string message = ranks.from(0, out.take());
  Unpacker in(message);
  if (in.number()) return in.text();
  return feedback::Error{feedback::Error::Kind::unreadable, "", "", in.text()};
}

// All ranks have the same arguments, and so the same error.
feedback::Result<Request> read_request(const Ranks& ranks, const Arguments& arguments) {
  Request request;
  request.output = arguments.value("output");
  request.json = arguments.json();
  if (request.output.empty() || request.output == "-")
    return feedback::Error{feedback::Error::Kind::usage, "", "", "--output=FILE must be given"};
  const auto mode = failure_mode(arguments);
  if (!mode) return mode.error();
  request.mode = *mode;
  const auto threads = number_argument(arguments, "num-threads", 1, 1024);
  if (!threads) return threads.error();
  request.threads = unsigned(*threads);
  const auto inputs = merge_inputs(
      arguments, [&](const std::string& file) { return shared_list(ranks, file); });
  if (!inputs) return inputs.error();
  request.inputs = dealt(*inputs, ranks.rank(), ranks.size());
  return request;
}

// The good input with the lowest place of all ranks.
std::optional<ReferenceInput> first_of_all(const Ranks& ranks, const std::optional<ReferenceInput>& own) {
  const auto places = ranks.all(own ? own->place : k_nowhere);
  const auto first = std::min_element(places.begin(), places.end());
  if (*first == k_nowhere) return std::nullopt;
  const int owner = int(first - places.begin());
  return unpack_reference(ranks.from(owner, owner == ranks.rank() ? pack(*own) : ""));
}

// With FailureMode::any: the first bad input of all, to rank 0.
bool stopped(const Ranks& ranks, PartialSum& sum) {
  auto& troubles = sum.troubles;
  const auto own = std::min_element(
      troubles.begin(), troubles.end(),
      [](const Trouble& a, const Trouble& b) { return a.place < b.place; });
  const auto places = ranks.all(own == troubles.end() ? k_nowhere : own->place);
  const auto first = std::min_element(places.begin(), places.end());
  if (*first == k_nowhere) return false;
  const int owner = int(first - places.begin());
  const std::string text = ranks.from(owner, owner == ranks.rank() ? own->text : "");
  troubles = {{*first, text}};
  return true;
}

// The sums of all ranks to rank 0.
void reduce(const Ranks& ranks, PartialSum& sum) {
  const int rank = ranks.rank();
  for (int step = 1; step < ranks.size(); step *= 2) {
    if (rank & step) {
      ranks.send(rank - step, pack(std::exchange(sum, {})));
      return;
    }
    if (rank + step >= ranks.size()) continue;
    auto other = unpack_sum(ranks.receive(rank + step));
    if (!other) ranks.abort("rank " + std::to_string(rank + step) + " sent no sum");
    sum.add(*std::move(other));
  }
}

int write(PartialSum sum, const Request& request) {
  feedback::Profile profile = sum.sum.result();
  report_findings(sum, profile.sections);
  const feedback::Run run = profile.run;
  const feedback::DocumentText document = feedback::to_document(std::move(profile));
  feedback::WriterLock lock(feedback::WriterLock::Patience::any);
  lock.acquire(request.output);
  const auto written = feedback::replace_file(request.output, document);
  if (!written) return fail(written.error());
  if (request.json) print_summary(run, sum.good, request.output);
  return k_ok;
}

int merge(const Ranks& ranks, Request request) {
  const FailureMode mode = request.mode;
  InputReader reader(std::move(request.inputs), request.threads, mode);
  const auto reference = first_of_all(ranks, reader.first());
  PartialSum sum;
  if (reference)
    sum = reader.rest(*reference);
  else
    sum.troubles = reader.troubles();
  if (mode != FailureMode::any || !stopped(ranks, sum)) reduce(ranks, sum);
  if (ranks.rank() != 0) return k_ok;
  if (const auto status = report_inputs(sum, mode)) return *status;
  return write(std::move(sum), request);
}

int run(const Ranks& ranks, int argc, char** argv) {
  const bool speaks = ranks.rank() == 0;
  auto failed = [&](const feedback::Error& error) { return speaks ? fail(error) : k_ok; };
  const auto arguments =
      parse_arguments(k_command, {argv + 1, std::size_t(std::max(argc - 1, 0))});
  if (!arguments) return failed(arguments.error());
  if (arguments->has("help")) {
    if (speaks) std::fputs(help_text(k_command).c_str(), stdout);
    return k_ok;
  }
  auto request = read_request(ranks, *arguments);
  if (!request) return failed(request.error());
  return merge(ranks, *std::move(request));
}

}  // namespace
}  // namespace memprof::mpi

int main(int argc, char** argv) {
  memprof::cli::set_program("memprof-mpi-merge");
  const memprof::mpi::Ranks ranks(&argc, &argv);
  return memprof::mpi::run(ranks, argc, argv);
}
