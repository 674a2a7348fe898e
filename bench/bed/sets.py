"""The table of all sets. A line that a fit without privacy explains less than 1 % of, or more than 99.9 %, is no use."""
import sets_debian
import sets_logistic
import sets_poisson
import sets_shared
import sets_squared

SETS = sets_squared.SETS + sets_logistic.SETS + sets_poisson.SETS + sets_debian.SETS + sets_shared.SETS
