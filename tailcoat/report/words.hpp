// What a model predicts and what its coefficients do, in words; and its effects, the coefficients on one scale.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tailcoat/estimators/model.hpp"

namespace tailcoat::report {

struct Words {
  std::string predicted;  // HTML: "the average of <bdi>price</bdi>"
  std::string quantity;   // HTML, of one part: "predicted <bdi>price</bdi>", "odds of <bdi>yes</bdi>"
  bool multiplies;        // effects are factors on the quantity (e to their power), not sums
};

Words words_of(const Model&, std::size_t part);

// What a feature is to the model. One whose coefficient is 0 without error, in all parts, was never or no longer
// fitted.
enum class Role {
  fitted,
  reference,  // the level that the others of its column are compared with
  faint,      // a tail that was dropped, because its effect did not stand out of the noise
  unused,
};

std::vector<Role> roles_of(const Model&);

// Whether a row has it or not.
bool is_indicator(const Feature&);

// Of one feature: the coefficient times the feature's typical spread, so that features of all units compare; of an
// indicator what it makes of a row to have it.
struct Effect {
  std::size_t feature;
  Estimate size;
};

// Features that the model and this part of it both have.
std::size_t features_of(const Model&, std::size_t part);
// Whether its interval leaves zero out.
bool is_clear(const Estimate&);
// In the order in which all parts are shown: the largest effect on any part first, and after the slope below a bend
// that above it.
std::vector<std::size_t> strongest_first(const Model&);
Effect effect_of(const Model&, std::size_t part, std::size_t feature);
// "raises the predicted price by 12 (95 % interval 10 to 14)", "multiplies the odds of yes by 1.8 (...)". HTML. An
// infinite interval is left out.
std::string change_in_words(const Estimate&, const Words&, double confidence);
// Where a tail begins, on one side or on both.
std::string knots_text(const Feature& tail);
// A level in words, also that of all other texts.
std::string level_html(const Feature&);
// The feature's name, its parts apart.
std::string feature_html(const Feature&);
std::string interval_text(double low, double high, int digits = 4);

}  // namespace tailcoat::report
