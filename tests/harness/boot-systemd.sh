#!/bin/bash
# Boots the machine's own systemd as the first process of new namespaces, on a copy-on-write view of the machine's files.
# boot-systemd.sh FOLDER REPO: FOLDER is empty; the repository is at /opt/berth inside. Prints nothing until systemd ends.
set -euo pipefail
folder=$1 repo=$2
root=$folder/root
if [ "${3:-}" != inside ]; then
  # A control group of its own in each hierarchy, which is the root of those that systemd sees.
  for hierarchy in $(findmnt --noheadings --list --output TARGET --types cgroup,cgroup2); do
    group=$hierarchy/$(basename "$folder")
    mkdir "$group"
    if [ -e "$group/cpuset.cpus" ] && [ -e "$hierarchy/cpuset.cpus" ]; then
      cat "$hierarchy/cpuset.cpus" >"$group/cpuset.cpus"
      cat "$hierarchy/cpuset.mems" >"$group/cpuset.mems"
    fi
    echo $$ >"$group/cgroup.procs"
  done
  exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child "$0" "$folder" "$repo" inside
fi
hierarchies=$(findmnt --noheadings --list --output TARGET,FSTYPE,OPTIONS --types cgroup,cgroup2 | tr -s ' ')
mount --make-rprivate /
# An interface to nowhere: `pasta` takes one with a default route as a model.
ip link set lo up
ip link add eth0 type veth peer name eth1
ip link set eth1 up
ip addr add 192.0.2.2/24 dev eth0
ip link set eth0 up
ip route add default via 192.0.2.1
mkdir -p "$folder/over" "$root"
mount -t tmpfs -o size=2g tmpfs "$folder/over"
mkdir "$folder/over/upper" "$folder/over/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/over/upper,workdir=$folder/over/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mkdir -p "$root/opt/berth"
mount --bind "$repo" "$root/opt/berth"
if [ "$(echo "$hierarchies" | wc -l)" -gt 1 ]; then mount -t tmpfs -o mode=755 cgroup "$root/sys/fs/cgroup"; fi
echo "$hierarchies" | while read -r target type options; do
  mkdir -p "$root$target"
  case $type in
    cgroup2) mount -t cgroup2 cgroup2 "$root$target" ;;
    *) mount -t cgroup -o "$(echo "$options" | sed -E 's/(^|,)(rw|ro|nosuid|nodev|noexec|relatime)//g; s/^,//; s/name=/none,name=/; s/xattr,?//; s/release_agent=[^,]*,?//; s/,$//')" cgroup "$root$target" ;;
  esac
done
echo 5d1e8e0e5b4c4b0e9d2f5d1e8e0e5b4c >"$root/etc/machine-id"
# Nothing of the machine's own starts.
rm -rf "$root"/etc/systemd/system/*.wants "$root/etc/systemd/system/berth.service" "$root/etc/berth"
# Not chroot: the kernel refuses user namespaces to programs in one.
mkdir -p "$root/mnt/former"
cd "$root"
pivot_root . mnt/former
umount --lazy /mnt/former
exec env -i container=berth-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=basic.target --show-status=0
