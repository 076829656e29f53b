# A Python program with workers, forked and started. Needs: /usr/bin/python3
run() {
  cat >work.py <<'END'
import multiprocessing, subprocess, sys

def work(number):
    return sum(i * i % (number + 7) for i in range(400000))

if __name__ == '__main__':
    for method in ('fork', 'spawn'):
        with multiprocessing.get_context(method).Pool(4) as pool:
            print(method, pool.map(work, range(12), 1))
    for number in range(4):
        print(subprocess.run([sys.executable, '-c', f'print(sum(range({number}00000)))'], capture_output=True).stdout)
    sys.exit(3)
END
  "$PYTHON" work.py
}
