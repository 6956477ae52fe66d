# SPDX-License-Identifier: BSD-3-Clause
#
# Check sentences (tests/docs/sentences, on standard input) against a list of words
# (words.txt) and a maximum number of words. Print the sentences that must be rewritten, and end
# with status 1 if there are any.
use strict;
use warnings;

my ($list, $longest) = @ARGV;
my (@rules, $failed);
open my $in, '<', $list or die "words: $list: $!\n";
while (<$in>) {
    next if /^#|^\s*$/;
    my ($kinds, $expression, $advice) = /^(\S+) \| (.*?) \| ([^|]*)\n$/
        or die "words: $list:$.: not 'KINDS | EXPRESSION | ADVICE'\n";
    push @rules, [$kinds, qr/$expression/i, $advice];
}
close $in;
while (<STDIN>) {
    chomp;
    my ($where, $kind, $sentence) = split /\t/, $_, 3;
    for my $rule (@rules) {
        my ($kinds, $expression, $advice) = @$rule;
        next if $kinds ne 'all' && $kinds !~ /\b$kind\b/ || $sentence !~ $expression;
        print "$where: '$&': $advice: $sentence\n";
        $failed = 1;
    }
    my $words = () = $sentence =~ /\S*\w\S*/g;
    if ($words > $longest) {
        print "$where: $words words, $longest are allowed: $sentence\n";
        $failed = 1;
    }
}
exit($failed ? 1 : 0);
