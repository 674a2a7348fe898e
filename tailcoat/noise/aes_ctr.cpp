#include "tailcoat/noise/aes_ctr.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cassert>

#include "tailcoat/noise/fail_safe.hpp"

namespace tailcoat {
namespace {

// Looked up once: a lookup costs more than a thousand blocks.
const EVP_CIPHER* aes_256_ctr() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  return cipher;
}

}  // namespace

bool AesCtr::available() { return aes_256_ctr() != nullptr; }

AesCtr::AesCtr(std::span<const std::uint8_t, 32> key, const Counter& first) : context_(EVP_CIPHER_CTX_new()) {
  abort_unless(context_ && available(), "OpenSSL offers no AES-256-CTR");
  abort_unless(EVP_EncryptInit_ex2(context_.get(), aes_256_ctr(), key.data(), first.data(), nullptr) == 1,
               "OpenSSL could not set up AES-256-CTR");
}

void AesCtr::restart(std::span<const std::uint8_t, 32> key, const Counter& first) {
  abort_unless(context_ != nullptr, "a moved-from bit stream has no bits");
  abort_unless(EVP_EncryptInit_ex2(context_.get(), nullptr, key.data(), first.data(), nullptr) == 1,
               "OpenSSL could not rekey AES-256-CTR");
}

void AesCtr::next(std::span<std::uint8_t> bytes) {
  assert(bytes.size() % 16 == 0);
  std::ranges::fill(bytes, std::uint8_t{0});
  int written = 0;
  const int wanted = static_cast<int>(bytes.size());
  const int status = EVP_EncryptUpdate(context_.get(), bytes.data(), &written, bytes.data(), wanted);
  abort_unless(status == 1 && written == wanted, "OpenSSL failed to encrypt with AES-256-CTR");
}

void AesCtr::Free::operator()(evp_cipher_ctx_st* context) const { EVP_CIPHER_CTX_free(context); }  // wipes the key

}  // namespace tailcoat
