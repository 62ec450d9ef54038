# Send SIGINT to a process when it has worked for half a second more, on however busy a machine.
pid=$1

ticks() {
    set -- $(cut -d ' ' -f 14,15 "/proc/$pid/stat")
    echo $(($1 + $2))
}

end=$(($(ticks) + $(getconf CLK_TCK) / 2))
while [ "$(ticks)" -lt "$end" ]; do
    sleep 0.02
done
kill -INT "$pid"
