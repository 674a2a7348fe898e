"""The nine sets of the folder given with --shared, with the targets and leaks that its README names."""
from sets_logistic import logistic
from sets_poisson import poisson
from sets_squared import squared

SETS = [
    squared("california_housing", "shared:california_housing.csv.gz", "median_house_value"),
    squared("king_county", "shared:king_county.csv.gz", "price", "id date", codes=""),
    squared("cps_asec_wages", "shared:cps_asec_2024_wages.csv.gz", "WSAL_VAL", "log_wage"),
    squared("diamonds", "shared:diamonds.csv.gz", "price"),
    squared("hflights_delay", "shared:hflights.csv.gz", "ArrDelay", "ArrTime DepTime FlightNum TailNum Year "
            "ActualElapsedTime"),
    squared("fremtpl_severity", "shared:fremtpl2sev_joined.csv.gz", "ClaimAmount", "IDpol ClaimNb"),
    logistic("adult", "shared:adult.csv.gz", "income", "split fnlwgt"),
    logistic("give_me_some_credit", "shared:give_me_some_credit.csv.gz", "SeriousDlqin2yrs"),
    poisson("fremtpl_frequency", "shared:fremtpl2freq.csv.gz", "ClaimNb", "IDpol", exposure="Exposure"),
]
