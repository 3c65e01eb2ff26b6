import { PREFIXED_SERVICE_VARIABLES, SERVICE_VARIABLES } from '@berth/contract';

/** The table of the variables that a service finds, as Markdown. */
export function renderServiceVariables(): string {
  const { CRON_TOKEN: _, ...prefixed } = PREFIXED_SERVICE_VARIABLES;
  const rows = [
    ...Object.entries(SERVICE_VARIABLES),
    ...Object.entries(prefixed).map(([name, meaning]) => [`BERTH_${name}`, meaning] as const),
  ].map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  return ['| Variable | Value |', '|---|---|', ...rows].join('\n');
}
