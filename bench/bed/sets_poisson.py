"""Sets with counts, some with an exposure: how long, or how many, were counted."""
from table import Set


def poisson(name, source, target, drop="", **more):
    return Set(name, source, target, "poisson", drop, **more)


SETS = [
    poisson("credit_card_reports", "AER/CreditCard", "reports", "card share expenditure"),
    poisson("doctor_visits", "AER/DoctorVisits", "visits"),
    poisson("gss_kids", "AER/GSS7402", "kids"),
    poisson("medicaid_visits", "AER/Medicaid1986", "visits", exposure="exposure"),
    poisson("nmes_visits", "AER/NMES1988", "visits"),
    poisson("nmes_hospital", "AER/NMES1988", "hospital"),
    poisson("nmes_emergency", "AER/NMES1988", "emergency", "hospital"),
    poisson("phd_articles", "AER/PhDPublications", "articles"),
    poisson("heart_stay", "COUNT/azpro", "los", codes="hospital"),
    poisson("medpar_stay", "COUNT/medpar", "los", "provnum"),
    poisson("rwm_doctor", "COUNT/rwm5yr", "docvis", "id"),
    poisson("rwm1984_doctor", "COUNT/rwm1984", "docvis"),
    poisson("reform_visits", "COUNT/mdvis", "numvisit"),
    poisson("aus_prescribed", "Ecdat/DoctorAUS", "prescrib", "medecine"),
    poisson("aus_nonprescribed", "Ecdat/DoctorAUS", "nonpresc", "medecine"),
    poisson("contacts_mdu", "Ecdat/DoctorContacts", "mdu"),
    poisson("psid_kids", "Ecdat/PSID", "kids", "intnum persnum", where="kids < 20"),
    poisson("patents", "Ecdat/PatentsRD", "patent", "fi", codes="sector geo"),
    poisson("tobacco_kids", "Ecdat/Tobacco", "nkids", "nkids2"),
    poisson("vietnam_pharmacy", "Ecdat/VietNamI", "pharvis", "commune"),
    poisson("vietnam_illness_days", "Ecdat/VietNamI", "illdays", "commune pharvis actdays"),
    poisson("police_checks", "carData/Arrests", "checks"),
    poisson("quakes_stations", "datasets/quakes", "stations"),
    poisson("attrition_companies", "modeldata/attrition", "NumCompaniesWorked"),
    poisson("hotel_requests", "modeldata/hotel_rates", "total_of_special_requests", "arrival_date* country agent company"),
    poisson("package_imports", "modeldata/check_times", "imports", "package status check_time"),
    poisson("homeruns_2018", "openintro/mlb_players_18", "HR", "name SLG OPS RBI", where="AB > 0", exposure="AB"),
    poisson("homeruns_2010", "openintro/mlbbat10", "home_run", "name total_base slg rbi", where="at_bat > 0",
            exposure="at_bat"),
    poisson("baseball_homeruns", "plyr/baseball", "hr", "id team rbi", where="ab > 0", exposure="ab"),
    poisson("baseball_steals", "plyr/baseball", "sb", "id team cs", where="ab > 0", exposure="ab"),
    poisson("soldering_skips", "rpart/solder", "skips"),
    poisson("randhie_visits", "sampleSelection/RandHIE", "mdvis", "zper *dol totadm inpmis mentvis notmdvis lnmeddol binexp"),
    poisson("innovation_patents", "sandwich/InstInnovation", "patents", "company cites"),
    poisson("innovation_cites", "sandwich/InstInnovation", "cites", "company patents"),
    poisson("home_goals", "vcd/Bundesliga", "HomeGoals", "AwayGoals Date"),
    poisson("county_murders", "wooldridge/countymurders", "murders", "arrests countyid murdrate arrestrate countyfips lpopul "
            "density", exposure="popul", codes="statefips", where="popul > 0"),
    poisson("county_arrests", "wooldridge/countymurders", "arrests", "murders countyid murdrate arrestrate countyfips lpopul",
            exposure="popul", codes="statefips", where="popul > 0"),
    poisson("crime_arrests", "wooldridge/crime1", "narr86", "nfarr86 nparr86 *sq"),
    poisson("fertil1_kids", "wooldridge/fertil1", "kids", "agesq y?? y??educ"),
    poisson("fertil2_children", "wooldridge/fertil2", "children", "ceb mnthborn yearborn monthfm yearfm agesq urb_educ"),
    poisson("recid_rules", "wooldridge/recid", "rules", "ldurat durat cens", exposure="tserved", where="tserved > 0"),
    poisson("smoke_cigarettes", "wooldridge/smoke", "cigs", "lincome agesq lcigpric"),
    poisson("bwght_cigarettes", "wooldridge/bwght", "cigs", "packs lbwght bwghtlbs lfaminc"),
]
