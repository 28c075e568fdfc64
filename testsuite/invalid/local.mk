# Profiles with one fault each, as changes of good ones.  Unit tests read them from faults.txt; cases of
# e2e compile the program that writes them.
EXTRA_DIST += %D%/faults.txt %D%/invalid_profiles.cc %D%/invalid_profiles.h %D%/write_invalid_profiles.cc
