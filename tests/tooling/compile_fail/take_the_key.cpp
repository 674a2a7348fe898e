// fails with: only engine/ and mechanisms/ may open a Sensitive value
#include "tailcoat/privacy/sensitive.hpp"
#ifdef LEAK
#include "tailcoat/privacy/sensitive_key.hpp"
#endif

int main() {}
