/** The place of everything that `berth service` makes. */
export const SERVICE = {
  unit: 'berth.service',
  unitFile: '/etc/systemd/system/berth.service',
  environmentFile: '/etc/berth/berth.env',
  user: 'berth',
  dataFolder: '/var/lib/berth',
} as const;

/** The start of every unit that `berth service install` writes. */
export const UNIT_HEAD = '# Written by `berth service install`';

/** Options of {@link renderUnit}. Paths are absolute. */
export interface UnitOptions {
  /** The user that the server runs as; `root` gives each deployment a user of its own. */
  readonly user: string;
  readonly dataFolder: string;
  /** The words that start the server. */
  readonly command: readonly string[];
  /** Folders of programs that builds use, such as npm's. */
  readonly programFolders: readonly string[];
  /** Groups of the user besides its own, such as `docker`. */
  readonly groups: readonly string[];
  /** True when a setting names a port below 1024. */
  readonly hasLowPort: boolean;
}

/** Capabilities of a server that is root. It uses them for the users, files and processes of services, sandboxes and networks. */
const ROOT_CAPABILITIES = [
  ...[
    'CAP_CHOWN',
    'CAP_DAC_OVERRIDE',
    'CAP_FOWNER',
    'CAP_FSETID',
    'CAP_KILL',
    'CAP_SETGID',
    'CAP_SETUID',
    'CAP_SETPCAP',
  ],
  ...['CAP_NET_ADMIN', 'CAP_NET_BIND_SERVICE', 'CAP_NET_RAW', 'CAP_SYS_ADMIN', 'CAP_SYS_CHROOT', 'CAP_SYS_PTRACE'],
  // The id map of the sandboxes' user namespace has the id 0 of no program, and the kernel asks for it all the same.
  ...['CAP_SYS_RESOURCE', 'CAP_SETFCAP'],
];

/** Homes of people. */
const HOMES = ['/home/', '/root/', '/run/user/'];

/**
 * Returns the systemd unit of a server. It is as strict as the process runtime allows:
 *
 * - Sandboxes need namespaces and a fresh `/proc`. The kernel refuses one where parts of `/proc` are covered, so `ProtectKernelTunables`,
 *   `ProtectKernelLogs` and `ProtectProc` stay off.
 * - Limits of services need `Delegate`; without `OOMPolicy=continue`, one service over its limit would stop the server.
 * - JavaScript engines write code, so `MemoryDenyWriteExecute` stays off.
 */
export function renderUnit(options: UnitOptions): string {
  const { user, dataFolder, command, programFolders, groups, hasLowPort } = options;
  const isRoot = user === 'root';
  const lowPort = hasLowPort && !isRoot ? 'CAP_NET_BIND_SERVICE' : '';
  const usesHome = [dataFolder, ...command, ...programFolders].some((one) =>
    HOMES.some((home) => `${one}/`.startsWith(home)),
  );
  const systemFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  const searched = [...new Set([...programFolders, ...systemFolders])].join(':');
  return `${UNIT_HEAD}, which replaces it. Settings are in ${SERVICE.environmentFile}.
[Unit]
Description=Berth, a self-hosted cloud for services and agents
Wants=network-online.target
After=network-online.target docker.service postgresql.service
StartLimitIntervalSec=0

[Service]
Type=exec
User=${user}
${groups.length > 0 ? `SupplementaryGroups=${groups.join(' ')}\n` : ''}EnvironmentFile=${SERVICE.environmentFile}
Environment=NODE_ENV=production ${quote(`BERTH_DATA=${dataFolder}`)} ${quote(`PATH=${searched}`)}
WorkingDirectory=${escapePercent(dataFolder)}
ExecStart=${command.map(quote).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=2
RestartPreventExitStatus=2
KillMode=mixed
TimeoutStopSec=30
UMask=0077
LimitNOFILE=1048576
TasksMax=infinity
Delegate=yes
OOMPolicy=continue
ProtectSystem=strict
ReadWritePaths=${quote(dataFolder)}${isRoot ? ' /run /var/lib' : ''}
ProtectHome=${usesHome ? 'read-only' : 'yes'}
PrivateTmp=yes
DevicePolicy=closed
DeviceAllow=/dev/net/tun rw
CapabilityBoundingSet=${isRoot ? ROOT_CAPABILITIES.join(' ') : lowPort}
AmbientCapabilities=${lowPort}
${isRoot ? '' : 'NoNewPrivileges=yes\n'}ProtectClock=yes
ProtectKernelModules=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap

[Install]
WantedBy=multi-user.target
`;
}

/** Quotes a word of a unit's command line or list. Source: systemd.syntax(7), systemd.service(5). */
function quote(word: string): string {
  const escaped = escapePercent(word).replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replaceAll(/["\\]/g, '\\$&')}"`;
}

const escapePercent = (text: string) => text.replaceAll('%', '%%');
