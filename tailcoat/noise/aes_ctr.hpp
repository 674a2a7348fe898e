// AES-256 in counter mode as a generator of bytes: AES(key, counter), AES(key, counter + 1), ..., the counter being 128
// bits, most significant byte first. A thin owner of OpenSSL's cipher; it stops the program rather than return bytes
// that are not encrypted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

struct evp_cipher_ctx_st;  // OpenSSL's EVP_CIPHER_CTX

namespace tailcoat {

class AesCtr {
 public:
  using Key = std::array<std::uint8_t, 32>;
  using Counter = std::array<std::uint8_t, 16>;

  static bool available();  // does this OpenSSL have the cipher at all?

  AesCtr(std::span<const std::uint8_t, 32> key, const Counter& first);
  void restart(std::span<const std::uint8_t, 32> key, const Counter& first);
  void next(std::span<std::uint8_t> bytes);  // whole blocks: bytes.size() is a multiple of 16

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st*) const;
  };
  std::unique_ptr<evp_cipher_ctx_st, Free> context_;
};

}  // namespace tailcoat
