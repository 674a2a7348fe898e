// What a model is made of: one coefficient per number (linear), or a shape for each (additive).
#pragma once

namespace tailcoat {

enum class TermsKind { linear, additive };

}  // namespace tailcoat
