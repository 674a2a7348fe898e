#include "model.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <tuple>

#include "bindings.hpp"
#include "data.hpp"
#include "job.hpp"
#include "tailcoat/estimators/predict.hpp"
#include "tailcoat/report/report.hpp"

namespace tailcoat::python {
namespace {

nb::list terms_of(const FittedModel& model) {
  nb::list terms;
  for (const Feature& feature : model.fit.model.features)
    terms.append(nb::make_tuple(feature_name(feature), feature.column, kind_name(feature.kind)));
  return terms;
}

// (parts, terms) numbers, one per coefficient.
nb::object coefficients_of(const FittedModel& fitted, const std::function<double(const Estimate&)>& number) {
  const Model& model = fitted.fit.model;
  auto [array, numbers] = new_array(model.parts.size(), model.features.size());
  auto out = numbers.begin();
  for (const LinearPart& part : model.parts)
    for (const Estimate& coefficient : part.coefficients) *out++ = number(coefficient);
  return array;
}

nb::object intercepts_of(const FittedModel& fitted, const std::function<double(const Estimate&)>& number) {
  const Model& model = fitted.fit.model;
  auto [array, numbers] = new_array(model.parts.size());
  auto out = numbers.begin();
  for (const LinearPart& part : model.parts) *out++ = number(part.intercept);
  return array;
}

// (knot, slope below, slope above), or None.
nb::object curve_of_model(const FittedModel& model) {
  const Curve curve = curve_of(model.fit.model);
  if (curve.is_straight()) return nb::none();
  return nb::make_tuple(curve.knot, curve.below, curve.above);
}

// The theorem's bound on the excess risk, the chance that it fails and whether it is trivial, of a fit by one.
nb::object bound_of(const FittedModel& model) {
  if (!model.fit.certified) return nb::none();
  return nb::make_tuple(model.fit.certified->excess_risk, model.fit.certified->failure_probability,
                        model.fit.certified->trivial);
}

nb::dict estimates_of(const FittedModel& model) {
  nb::dict estimates;
  const auto add = [&](const char* name, double Estimate::*member) {
    const auto number = [member](const Estimate& estimate) { return estimate.*member; };
    estimates[name] = nb::make_tuple(coefficients_of(model, number), intercepts_of(model, number));
  };
  add("value", &Estimate::value);
  add("standard_error", &Estimate::standard_error);
  add("low", &Estimate::low);
  add("high", &Estimate::high);
  return estimates;
}

enum class Wanted { value, margins, probabilities };

constexpr std::size_t kRowsAtOnce = 1024;  // between two looks for Ctrl-C

// Calls take(i, prediction) for every row, without the GIL.
template <class Take>
void for_each_prediction(Predictor& predictor, const Data& data, const Take& take) {
  std::visit(
      [&](const auto& rows) {
        std::vector<double> cells(rows.columns);
        Interrupts interrupts;
        for (std::size_t i = 0; i < rows.rows; ++i) {
          if (i % kRowsAtOnce == 0) interrupts.check();
          const auto row = rows.row(i);
          std::copy(row.begin(), row.end(), cells.begin());
          take(i, predictor.predict(cells));
        }
      },
      data.cells);
}

std::size_t width_of(const Model& model, Wanted wanted) {
  if (wanted == Wanted::value) return 1;
  if (wanted == Wanted::margins) return model.parts.size();
  if (!std::holds_alternative<LogisticLoss>(model.loss))
    throw Failure(usage_error(fmt::format("a model of {} loss has no probabilities", loss_name(model.loss))));
  return model.classes.size();
}

nb::object predictions(const FittedModel& fitted, const Data& data, Wanted wanted) {
  const Model& model = fitted.fit.model;
  Predictor predictor = value_of(Predictor::create(model, data.columns));
  const std::size_t width = width_of(model, wanted);
  auto [array, numbers] = new_array(data.rows(), wanted == Wanted::value ? std::nullopt : std::optional(width));
  const nb::gil_scoped_release release;
  for_each_prediction(predictor, data, [&, out = numbers](std::size_t i, const Prediction& prediction) {
    if (wanted == Wanted::value) {
      out[i] = prediction.value;
    } else {
      const auto& from = wanted == Wanted::margins ? prediction.margins : prediction.probabilities;
      std::copy(from.begin(), from.end(), out.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
  });
  return array;
}

std::string report_of(const FittedModel& model, const std::string& data_name, const std::string& command,
                      const std::string& date) {
  if (!model.from_fit)
    throw Failure(usage_error("a model that was read from a file has no report: the file says nothing of the fit"));
  return report_html(model.fit,
                     {.data_name = data_name, .command = command, .version = TAILCOAT_VERSION, .date = date});
}

}  // namespace

void bind_model(nb::module_& module) {
  const auto of_model = [](auto Model::*member) {
    return [member](const FittedModel& model) { return model.fit.model.*member; };
  };
  nb::class_<FittedModel>(module, "Model")
      .def_static("of_json",
                  [](const std::string& json) {
                    FittedModel model{.fit = {}, .from_fit = false};
                    model.fit.model = value_of(model_from_json(json));
                    return model;
                  })
      .def("to_json", [](const FittedModel& model) { return to_json(model.fit.model); })
      .def_prop_ro("loss", [](const FittedModel& model) { return loss_name(model.fit.model.loss); })
      .def_prop_ro("target", of_model(&Model::target))
      .def_prop_ro("classes", of_model(&Model::classes))
      .def_prop_ro("exposure", of_model(&Model::exposure))
      .def_prop_ro("rows", of_model(&Model::rows))
      .def_prop_ro("confidence", of_model(&Model::confidence))
      .def_prop_ro("notes", of_model(&Model::notes))
      .def_prop_ro("terms", &terms_of)
      .def_prop_ro("constant", [](const FittedModel& model) { return model.fit.constant; })
      .def_prop_ro("curve", &curve_of_model)
      .def_prop_ro("certified", &bound_of)
      .def_prop_ro("receipt", [](const FittedModel& model) { return from_json(model.fit.model.receipt.json()); })
      .def_prop_ro("privacy", [](const FittedModel& model) { return from_json(model.fit.model.receipt.summary()); })
      .def_prop_ro("error_against_epsilon", [](const FittedModel& model) { return model.fit.error_against_epsilon; })
      .def("estimates", &estimates_of)
      .def("predict", [](const FittedModel& m, const Data& d) { return predictions(m, d, Wanted::value); })
      .def("margins", [](const FittedModel& m, const Data& d) { return predictions(m, d, Wanted::margins); })
      .def("probabilities",
           [](const FittedModel& m, const Data& d) { return predictions(m, d, Wanted::probabilities); })
      .def("report", &report_of, nb::arg("data_name"), nb::arg("command"), nb::arg("date"))
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](FittedModel& model, const State& state) { new (&model) FittedModel(model_of_state(state)); });
}

}  // namespace tailcoat::python
