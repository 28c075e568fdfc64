# Profiles of every format version, which must stay readable for ever.
EXTRA_DIST += \
	%D%/v1/every-field-1.0.json \
	%D%/v1/every-field-1.1.json \
	%D%/v1/every-field.json \
	%D%/v1/list.json
