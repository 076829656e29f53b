# A few hundred rules whose recipes are run by fork or vfork, some in parallel.
targets := $(foreach a,1 2 3 4 5 6 7 8 9,$(foreach b,1 2 3 4 5 6 7 8,t$a$b))
square = $(words $(foreach i,$1,$(foreach j,$1,x)))
numbers := $(foreach a,1 2 3 4 5 6 7 8 9 0,$(foreach b,1 2 3 4 5 6 7 8 9 0,$a$b))
all: $(targets)
	@echo $(call square,$(numbers)) $(words $(sort $(foreach n,$(numbers),$(subst 1,one,$n) $(patsubst %7,seven-%,$n))))
	@false
$(targets):
	@echo $@ > $@
