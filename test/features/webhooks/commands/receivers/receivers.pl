# Receivers in Perl, each at a path of its own and wrong in one way; /correct is right. Prints its port, ends with its parent.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_hex);
use IO::Socket::INET;

$SIG{PIPE} = 'IGNORE';
my ($key) = @ARGV;
my $fresh = sub { $_[0] =~ /\A[0-9]+\z/ && abs(time - $_[0]) <= 300 };
my $same = sub {
    my ($given, $expected) = @_;
    return 0 if length $given != length $expected;
    my $different = 0;
    $different |= ord(substr $given, $_, 1) ^ ord(substr $expected, $_, 1) for 0 .. length($expected) - 1;
    return !$different;
};

sub genuine {
    my ($headers, $body, %checks) = @_;
    my ($timestamp, $given) = map { $_ // '' } @$headers{qw(x-service-timestamp x-service-signature)};
    return 0 unless ($checks{fresh} // $fresh)->($timestamp);
    return ($checks{same} // $same)->($given, 'sha256=' . hmac_sha256_hex("$timestamp.$body", $key));
}

my %receivers = (
    'correct' => sub { genuine(@_) },
    'chomps-the-body' => sub { my ($headers, $body) = @_; $body =~ s/\s+\z//; genuine($headers, $body) },
    'numeric-timestamp' => sub { no warnings; genuine(@_, fresh => sub { abs(time - ($_[0] + 0)) <= 300 }) },
    'matches-a-pattern' => sub { genuine(@_, same => sub { $_[1] =~ /^\Q$_[0]\E/ }) },
    'searches-the-signature' => sub { genuine(@_, same => sub { index($_[0], $_[1]) >= 0 }) },
    'ignores-the-clock' => sub { genuine(@_, fresh => sub { 1 }) },
    'dies-on-a-mismatch' => sub { genuine(@_) or die 'bad signature' },
);

my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 128) or die $!;
$| = 1;
print $server->sockport, "\n";

while (my $client = $server->accept) {
    my $line = <$client> // next;
    my ($name) = $line =~ m{^POST \S*/([\w-]+) };
    my %headers;
    while (defined(my $header = <$client>)) {
        last if $header =~ /\A\r?\n\z/;
        $headers{lc $1} = $2 if $header =~ /\A([^:]+):[ \t]*(.*?)[ \t]*\r?\n\z/;
    }
    read $client, my $body, $headers{'content-length'} // 0;
    my $accepted = eval { $receivers{ $name // '' }->(\%headers, $body) ? 1 : 0 };
    my $status = defined $accepted ? ($accepted ? '204 No Content' : '401 Unauthorized') : '500 Internal Server Error';
    print $client "HTTP/1.1 $status\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    close $client;
}
