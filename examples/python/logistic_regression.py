# Private logistic regression, of two classes and of three.
#
# Run it as a script, or cell by cell in an editor that knows `# %%`.

# %% Data
# Who pays a credit back. Incomes have heavy tails.
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from tailcoat import PrivateLogisticRegression

rng = np.random.default_rng(5)
n = 30_000
people = pd.DataFrame(
    {
        "income": 30_000 * rng.pareto(3, n) + 10_000,
        "debt": 5_000 * rng.lognormal(0, 1, n),
        "years_at_address": rng.exponential(6, n),
    }
)
margin = 1 + np.log(people["income"] / 20_000) - 0.00015 * people["debt"] + 0.05 * people["years_at_address"]
paid = np.where(margin + rng.logistic(size=n) > 0, "paid", "lost")
train, test, paid_train, paid_test = train_test_split(people, paid, random_state=0)

# %% Two classes
# Which labels occur is data. Where the classes are known to everybody, as here, saying so costs nothing.
private = PrivateLogisticRegression(epsilon=1, classes=["lost", "paid"]).fit(train, paid_train)
ordinary = LogisticRegression(C=np.inf, max_iter=1000).fit(train / train.std(), paid_train)

print("                   private   scikit-learn   (on rows that neither has seen)")
for name, score in {"log-loss": log_loss, "AUC": lambda y, p: roc_auc_score(y == "paid", p[:, 1])}.items():
    figures = [score(paid_test, m.predict_proba(t)) for m, t in ((private, test), (ordinary, test / train.std()))]
    print(f"{name:<16}{figures[0]:10.4f}{figures[1]:15.4f}")
base = np.mean(paid_train == "paid")
print(f"log-loss of the share alone: {log_loss(paid_test == 'paid', np.full(len(test), base)):.4f}")

# %% Coefficients
for term, slope, (low, high) in zip(private.terms_, private.coef_[0], private.intervals_[0]):
    print(f"  {term:<48}{slope:12.2e}   " + ("left out" if np.isnan(low) else f"[{low:.2e}, {high:.2e}]"))

# %% Three classes, found privately
# Without `classes`, those that are frequent are found, at a price that the receipt lists.
grade = np.array(["A", "B", "C"])[np.digitize(margin + 0.7 * rng.logistic(size=n), [0.8, 2.2])]
grades = PrivateLogisticRegression(epsilon=1).fit(people, grade)
print(f"\nclasses found: {grades.classes_.tolist()}, right in {grades.score(people, grade):.1%} of the rows,")
most = pd.Series(grade).value_counts(normalize=True)
print(f"always saying {most.index[0]} in {most.iloc[0]:.1%}")
