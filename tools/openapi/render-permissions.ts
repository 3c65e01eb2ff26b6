import { type Permission, readPermissions } from '../chart/permissions.ts';

const ROLES: Readonly<Record<Permission['role'], string>> = { server: 'Servers', collector: 'Collectors' };
const PLACES: Readonly<Record<Permission['where'], string>> = {
  accounts: 'namespaces `<prefix>-…`',
  builds: 'namespace `<prefix>-builds`',
  cluster: 'the whole cluster',
  berth: "Berth's namespace",
};

/** The table of what the service accounts of Berth on Kubernetes may do, as Markdown. */
export function renderPermissions(): string {
  const rows = readPermissions().map(({ role, where, apiGroup, resources, verbs, needs, purpose }) => {
    const names = resources.map((resource) => `\`${apiGroup === '' ? resource : `${resource}.${apiGroup}`}\``);
    const condition = needs === undefined ? '' : ` (with \`${needs}.enabled\`)`;
    return `| ${ROLES[role]} | ${names.join(', ')} | ${verbs.join(', ')} | ${PLACES[where]} | ${purpose}${condition} |`;
  });
  return ['| Role | Resources | Verbs | Place | Purpose |', '|---|---|---|---|---|', ...rows].join('\n');
}
