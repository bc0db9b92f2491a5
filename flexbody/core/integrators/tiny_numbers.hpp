// Numbers below 1e-308, which processors handle a hundred times slower than others.
//
// What an implicit method filters fades by a factor at each step. Where nothing feeds it, as the multipliers across
// the plane of a planar machine, it would spend thousands of steps among these numbers before it is zero.
#pragma once
#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace flexbody {

// Such numbers are zero as long as this object exists.
class NoTinyNumbers {
 public:
  NoTinyNumbers() : before(read()) { write(before | ZERO); }
  ~NoTinyNumbers() { write(before); }
  NoTinyNumbers(const NoTinyNumbers&) = delete;
  NoTinyNumbers& operator=(const NoTinyNumbers&) = delete;

 private:
#if defined(__x86_64__) || defined(_M_X64)
  using Word = unsigned int;
  static constexpr Word ZERO = 0x8040;  // results, and operands
  static Word read() { return _mm_getcsr(); }
  static void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
  using Word = unsigned long long;
  static constexpr Word ZERO = 1ull << 24;
  static Word read() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
  using Word = unsigned int;
  static constexpr Word ZERO = 0;
  static Word read() { return 0; }
  static void write(Word) {}
#endif
  Word before;
};

}  // namespace flexbody
