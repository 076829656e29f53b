# Programs that replace themselves. Needs: env perl
run() {
  for way in 'env A=b' 'sh -c "exec \"\$@\"" sh' 'env -i sh -c "exec \"\$@\"" sh' 'nice -n 1'; do
    eval "$way /usr/bin/perl -e 'my \$s = 0; \$s += \$_ % 7 for 1 .. 5000000; print \"\$s \", scalar(keys %ENV), \"\\n\"; exit 9'"
    echo "$?"
  done
}
