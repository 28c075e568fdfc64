// message.cc - a partial sum, or a text, as the bytes of an MPI message.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/mpi/message.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "feedback/reader.h"
#include "feedback/writer.h"

namespace memprof::mpi {

void Packer::number(std::uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Packer::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

std::uint64_t Unpacker::number() {
  std::uint64_t value = 0;
  const std::size_t n = std::min(sizeof value, bytes_.size());
  std::memcpy(&value, bytes_.data(), n);
  bytes_.remove_prefix(n);
  return value;
}

std::string Unpacker::text() {
  const std::uint64_t length = number();
  const std::string value(bytes_.substr(0, std::min<std::uint64_t>(length, bytes_.size())));
  bytes_.remove_prefix(value.size());
  return value;
}

std::string pack(cli::PartialSum sum) {
  Packer out;
  out.number(sum.good);
  out.number(sum.troubles.size());
  for (const cli::Trouble& trouble : sum.troubles) {
    out.number(trouble.place);
    out.text(trouble.text);
  }
  out.number(sum.findings.size());
  for (const auto& [what, finding] : sum.findings) {
    out.text(what);
    out.number(finding.inputs);
    out.number(finding.place);
    out.text(finding.path);
  }
  out.text(sum.sum.empty() ? std::string() : feedback::to_json(sum.sum.result()));
  return out.take();
}

std::optional<cli::PartialSum> unpack_sum(std::string_view bytes) {
  Unpacker in(bytes);
  cli::PartialSum sum;
  sum.good = in.number();
  for (std::uint64_t n = in.number(); n > 0; n--) {
    cli::Trouble& trouble = sum.troubles.emplace_back();
    trouble.place = in.number();
    trouble.text = in.text();
  }
  for (std::uint64_t n = in.number(); n > 0; n--) {
    const std::string what = in.text();
    cli::Finding finding;
    finding.inputs = in.number();
    finding.place = in.number();
    finding.path = in.text();
    sum.find(what, finding);
  }
  const std::string document = in.text();
  if (document.empty()) return sum;
  auto profile = feedback::parse_profile(document, "");
  if (!profile) return std::nullopt;
  sum.sum.add(*std::move(profile));
  return sum;
}

std::string pack(const cli::ReferenceInput& reference) {
  Packer out;
  out.number(reference.place);
  for (const std::string* text :
       {&reference.path, &reference.program, &reference.build_id, &reference.mode})
    out.text(*text);
  return out.take();
}

cli::ReferenceInput unpack_reference(std::string_view bytes) {
  Unpacker in(bytes);
  cli::ReferenceInput reference;
  reference.place = in.number();
  for (std::string* text :
       {&reference.path, &reference.program, &reference.build_id, &reference.mode})
    *text = in.text();
  return reference;
}

}  // namespace memprof::mpi
