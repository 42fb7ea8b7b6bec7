import { type FileView, temporaryPlaces } from './file-view.ts';

/**
 * Stands in for bubblewrap where only util-linux is there. It is the first process of its namespaces, and root of them:
 * it makes the mounts, and then goes on as init under the user that it began with, in a user namespace below. From
 * there the mounts cannot be taken away again.
 *
 * `/sys` holds the whole tree as it was meanwhile: directories are shown from there after what lies above them is hidden.
 * Every step must succeed; a sandbox with a hole is none.
 */
export const UNSHARE_SCRIPT = `
set -e
read -r _ uid _ < /proc/self/uid_map
read -r _ gid _ < /proc/self/gid_map
read -r pid _ < /proc/self/stat
info=$1 cwd=$2 tmp=$3
shift 3
if [ "$info" != - ]; then
  eval "echo '{\\"child-pid\\": $pid}' >&$info; exec $info>&-"
fi
bound() {
  mkdir -p "$1"
  mount --bind "/sys$1" "$1"
}
tmpfs() {
  mkdir -p "$1"
  mount -t tmpfs -o "mode=755,$2" tmpfs "$1"
}
if [ "$tmp" != - ]; then
  mount --rbind / /sys
  while read -r _ _ _ _ point _; do
    case $point in /sys | /sys/* | /proc | /proc/* | /dev | /dev/*) continue ;; esac
    point=$(printf %b "$point")
    # What this user cannot reach, as the mounts of containers that another one runs, no app of it can write to.
    [ ! -e "$point" ] || mount -o remount,bind,ro "$point"
  done < /proc/self/mountinfo
  tmpfs /dev nosuid
  for node in null zero full random urandom tty; do
    : > "/dev/$node"
    mount --bind "/sys/dev/$node" "/dev/$node"
  done
  mkdir /dev/pts /dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts
  mount -t tmpfs -o mode=1777 tmpfs /dev/shm
  ln -s pts/ptmx /dev/ptmx
  ln -s /proc/self/fd /dev/fd
  for n in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/\${n%:*}" "/dev/\${n#*:}"; done
  while [ "$1" != -- ]; do
    case $1 in
      temporary) mount --bind "/sys$tmp" "$2" ;;
      hide) tmpfs "$2" nosuid,nodev ;;
      show) bound "$2" && mount -o remount,bind,ro "$2" ;;
      own) bound "$2" ;;
      shut) mount -o remount,bind,ro "$2" ;;
    esac
    shift 2
  done
  umount -l /sys
fi
shift
mount -t proc proc /proc
exec setsid setpriv --no-new-privs unshare --user --map-user="$uid" --map-group="$gid" --mount -- /bin/sh -c '
  cd "$1" || exit
  shift
  exec 9>&2 2>/dev/null
  (exec "$@" 2>&9 9>&-)
  exit $?
' evident-init "$cwd" "$@"
`;

interface UnshareOrder {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly view: FileView | null;
  readonly infoFd?: number;
}

/** The arguments of the script. */
export function unshareWords({ words, cwd, view, infoFd }: UnshareOrder): readonly string[] {
  const { hidden, shown, own } = view ?? { hidden: [], shown: [], own: [] };
  return [
    ...[infoFd === undefined ? '-' : String(infoFd), cwd, view?.tmp ?? '-'],
    ...(view === null ? [] : temporaryPlaces()).flatMap((path) => ['temporary', path]),
    ...hidden.flatMap((path) => ['hide', path]),
    ...shown.flatMap((path) => ['show', path]),
    ...own.flatMap((path) => ['own', path]),
    ...hidden.flatMap((path) => ['shut', path]),
    '--',
    ...words,
  ];
}
