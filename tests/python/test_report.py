"""Reports, model files and pictures."""

import html
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest
from conftest import ESTIMATORS, run_program, seeded

import tailcoat

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(3000), "b": rng.choice(["u", "v"], 3000)})
    return frame.assign(y=2 * frame.a + (frame.b == "u") + rng.standard_normal(3000))


def fitted(name, frame, **parameters):
    y = frame.y
    if name == "PrivatePoissonRegressor":
        y = np.clip(np.round(np.exp(frame.y / 4)), 0, 9)
    if hasattr(seeded(name), "classes"):
        y = np.where(frame.y > 0, "yes", "no")
    if name == "PrivateMean":
        return seeded(name, **parameters).fit(y)
    return seeded(name, categorical={"b": ["u", "v"]}, **parameters).fit(frame[["a", "b"]], y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_report_is_a_page_of_its_own_and_is_shown_in_a_frame(name, frame, tmp_path):
    page = tailcoat.report(fitted(name, frame), data_name="my <data>")
    assert page.html.startswith("<!doctype html>") and "my &lt;data&gt;" in page.html and "my <data>" not in page.html
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    inside = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^>]*></iframe>', page._repr_html_()).group(1)
    assert html.unescape(inside) == page.html


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_model_goes_to_a_file_and_back(name, frame, tmp_path):
    model = fitted(name, frame)
    tailcoat.save_model(model, tmp_path / "model.json")
    loaded = tailcoat.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame[["a"]] if name == "PrivateMean" else frame[["a", "b"]]))
    assert loaded.privacy_ == model.privacy_ and loaded.model_.to_json() == model.model_.to_json()
    if name == "PrivateLogisticRegression":
        np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame[["a", "b"]]))
    frame.to_csv(tmp_path / "data.csv", index=False)
    lines = run_program("predict", tmp_path / "data.csv", "--model", tmp_path / "model.json").splitlines()
    assert len(lines) == len(frame) + 1 and lines[1].split(",")[0] == (
        loaded.predict(frame)[0] if loaded.classes_ else repr(float(loaded.predict(frame)[0]))
    )
    with pytest.raises(tailcoat.UsageError, match="no report"):
        tailcoat.report(loaded)


def test_a_model_file_needs_its_columns_by_name(frame, tmp_path):
    tailcoat.save_model(fitted("PrivateLinearRegression", frame), tmp_path / "model.json")
    loaded = tailcoat.load_model(tmp_path / "model.json")
    with pytest.raises(tailcoat.UsageError, match=r"\['b'\]"):
        loaded.predict(frame[["a"]])
    with pytest.raises(tailcoat.UsageError, match="named columns"):
        loaded.predict(np.ones((3, 2)))


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "model.json").write_text('{"schema": "something"}')
    with pytest.raises(tailcoat.DataError, match="schema"):
        tailcoat.load_model(tmp_path / "model.json")
    with pytest.raises(FileNotFoundError):
        tailcoat.load_model(tmp_path / "nothing.json")
    for wrong in (tailcoat.PrivateMean(epsilon=1), 3):
        with pytest.raises(tailcoat.UsageError, match="call fit first"):
            tailcoat.report(wrong)


def test_plots_show_coefficients_budget_and_what_a_budget_is_worth(frame):
    model = fitted("PrivateLinearRegression", frame)
    assert [text.get_text() for text in tailcoat.plot_coefficients(model).get_yticklabels()] == model.terms_
    assert sum(bar.get_width() for bar in tailcoat.plot_budget(model).patches) == pytest.approx(1)
    assert len(tailcoat.plot_error_against_epsilon(model).lines) == 1
    more = seeded("PrivateLogisticRegression", classes=["p", "q", "r"]).fit(
        frame[["a"]], np.random.default_rng(0).choice(["p", "q", "r"], 3000)
    )
    assert len(tailcoat.plot_coefficients(more).get_legend().get_texts()) == 3
    for plot in (tailcoat.plot_coefficients, tailcoat.plot_budget, tailcoat.plot_error_against_epsilon):
        with pytest.raises(tailcoat.UsageError):
            plot(tailcoat.PrivateMean(epsilon=1))
