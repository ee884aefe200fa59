# Says why the Node that comes with the project does not start, where that one is first in PATH: under `npm start` and `npm test`.
# Node 26 links to libatomic, which slim images of Debian and Ubuntu leave out.
reason=$(node -v 2>&1 >/dev/null)
echo 'florin: the Node 26 that comes with the project does not start on this machine:' >&2
echo "    $reason" >&2
case $reason in
*libatomic*)
  echo 'Install that library: apt-get install libatomic1 on Debian and Ubuntu, dnf install libatomic on Fedora.' >&2
  ;;
*)
  echo 'It is a build for glibc 2.28 or newer, on x64. On another system put a Node 26 of your own first in PATH and start it with: node bin/florin.js up' >&2
  ;;
esac
exit 1
