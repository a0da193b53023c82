#pragma once

// Makes arrays from a few values, and takes a few values from arrays.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/scan.hpp>
#include <evenkeel/backends/exec/sort.hpp>

#include <concepts>

namespace evenkeel::exec {

// An array of `count` copies of a value. Blocks.
template <class T>
Array<T> filled(const Space& space, const char* label, std::int64_t count, T value) {
  Array<T> all(space, label, count);
  for_each(space, label, count, Fill<T>{all.data(), value});
  space.fence(label);
  return all;
}

// An array of 0, 1, 2, ... Does not block.
template <class T>
Array<T> counted_up(const Space& space, const char* label, std::int64_t count) {
  Array<T> all(space, label, count);
  for_each(space, label, count, CountUp<T>{all.data()});
  return all;
}

// The values at the given places. The space must reach the memory of values and places. Blocks.
template <class T>
Array<T> chosen(const Space& space, const char* label, const T* values,
                std::span<const std::int64_t> places) {
  Array<T> all(space, label, std::ssize(places));
  for_each(space, label, all.size(), Pick<T>{values, places.data(), all.data()});
  space.fence(label);
  return all;
}
template <class T>
Array<T> chosen(const Space& space, const char* label, const T* values,
                const Array<std::int64_t>& places) {
  return chosen(space, label, values, std::span<const std::int64_t>(places.span()));
}

// Replaces each value by the sum of the values before it, and returns the sum of all values. Blocks
// until that sum is known.
template <class T>
T sum_up(const Array<T>& values) {
  const Values<T> all{values.data(), values.size()};
  return with_space(values.space(),
                    [&](const auto& instance) { return exclusive_scan(instance, all, all); });
}

// Replaces the lengths of rows by the offsets at which they begin. The last entry of `lengths` is
// room for one more number, and becomes the end of the last row. Returns that end, and blocks until
// it is known.
template <class T>
T to_offsets(const Array<T>& lengths) {
  for_each(lengths.space(), "evenkeel::exec::offsets", 1,
           Fill<T>{lengths.data() + lengths.size() - 1, 0});
  return sum_up(lengths);
}

namespace detail {

inline constexpr int numbers_per_word = 64;

// A predicate that can also check up to 64 numbers in one call of word(), which is faster. Bit k of
// word(first, length) is predicate(first + k). Only hosts call word().
template <class Predicate>
concept TellsWords = requires(const Predicate& predicate) {
  { predicate.word(std::int64_t{}, 0) } -> std::same_as<std::uint64_t>;
};

KOKKOS_INLINE_FUNCTION int length_of_word(std::int64_t word, std::int64_t count) {
  const std::int64_t left = count - word * numbers_per_word;
  return static_cast<int>(left < numbers_per_word ? left : numbers_per_word);
}

KOKKOS_INLINE_FUNCTION std::int64_t marks_in(std::uint64_t word) {
  std::int64_t marks = 0;
  for (std::uint64_t rest = word; rest != 0; rest &= rest - 1) ++marks;
  return marks;
}

template <class Predicate>
struct MarkNumbers {
  Predicate predicate;
  std::int64_t count;
  std::uint64_t* words;
  std::int64_t* found;  // in each word

  KOKKOS_FUNCTION void operator()(std::int64_t w) const {
    const int length = length_of_word(w, count);
    std::uint64_t word = 0;
    for (int k = 0; k < length; ++k)
      word |= static_cast<std::uint64_t>(predicate(w * numbers_per_word + k) ? 1 : 0) << k;
    words[w] = word;
    found[w] = marks_in(word);
  }
};

// The same by predicate.word(), on hosts.
template <class Predicate>
struct MarkWords {
  Predicate predicate;
  std::int64_t count;
  std::uint64_t* words;
  std::int64_t* found;

  void operator()(std::int64_t w) const {
    words[w] = predicate.word(w * numbers_per_word, length_of_word(w, count));
    found[w] = marks_in(words[w]);
  }
};

template <class Instance, class Predicate>
void mark_numbers(const Instance& instance, const char* label, const Predicate& predicate,
                  std::int64_t count, const Array<std::uint64_t>& words,
                  const Array<std::int64_t>& found) {
  if constexpr (TellsWords<Predicate> && !is_device<Instance>)
    for_each(instance, label, words.size(),
             MarkWords<Predicate>{predicate, count, words.data(), found.data()});
  else
    for_each(instance, label, words.size(),
             MarkNumbers<Predicate>{predicate, count, words.data(), found.data()});
}

struct WriteMarked {
  const std::uint64_t* words;
  const std::int64_t* firsts;  // for each word, the place of its first number in the result
  std::int64_t* numbers;

  KOKKOS_FUNCTION void operator()(std::int64_t w) const {
    std::int64_t at = firsts[w];
    std::uint64_t rest = words[w];
    for (int k = 0; rest != 0; ++k, rest >>= 1)
      if ((rest & 1U) != 0) numbers[at++] = w * numbers_per_word + k;
  }
};

}  // namespace detail

// Returns the numbers i in [0, count) for which predicate(i) is true, in ascending order. This
// suits predicates that are true for few numbers. Checks each number once: by word() on hosts if
// the predicate has it, otherwise by predicate(i). Blocks.
template <class Predicate>
Array<std::int64_t> numbers_that(const Space& space, const char* label, std::int64_t count,
                                 const Predicate& predicate) {
  const std::int64_t each = detail::numbers_per_word;
  const Array<std::uint64_t> words(space, label, count > 0 ? (count + each - 1) / each : 0);
  const Array<std::int64_t> firsts(space, label, words.size());
  with_space(space, [&](const auto& instance) {
    detail::mark_numbers(instance, label, predicate, count, words, firsts);
  });
  Array<std::int64_t> numbers(space, label, sum_up(firsts));
  if (numbers.empty()) return numbers;
  for_each(space, label, words.size(),
           detail::WriteMarked{words.data(), firsts.data(), numbers.data()});
  space.fence(label);
  return numbers;
}

// Returns the distinct values of `numbers`, in ascending order. Sorts `numbers` in place. Blocks.
inline Array<std::uint64_t> distinct(const Space& space, const char* label,
                                     const Array<std::uint64_t>& numbers) {
  const auto places = counted_up<std::uint64_t>(space, label, numbers.size());
  sort_pairs(space, numbers.data(), places.data(), numbers.size());
  return chosen(space, label, numbers.data(),
                numbers_that(space, label, numbers.size(), StartsRun{numbers.data()}));
}

// Copies the values of an array at a few places to the host. Blocks.
template <class T>
std::vector<T> picked(const Array<T>& values, const char* label,
                      std::span<const std::int64_t> places) {
  const Space space = values.space();
  const Reached<std::int64_t> there(space, label, places);
  return chosen(space, label, values.data(),
                std::span(there.data(), static_cast<std::size_t>(there.size())))
      .on_host();
}

}  // namespace evenkeel::exec
