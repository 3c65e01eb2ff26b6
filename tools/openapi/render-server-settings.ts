import { defaultOf, type Option } from '../../apps/server/src/config/option.ts';
import { OPTIONS } from '../../apps/server/src/config/options.ts';

/** The table of the server's settings as Markdown. */
export function renderServerSettings(): string {
  const rows = Object.values<Option>(OPTIONS).map((option) => {
    const fallback = defaultOf(option);
    const shown = fallback === '' ? '' : `\`${fallback}\``;
    const flag = option.isVariableOnly ? '' : `\`--${option.flag}\``;
    return `| ${flag} | \`${option.env}\` | ${shown} | ${option.description.replaceAll(/[|<*]/g, '\\$&')} |`;
  });
  return ['| Flag | Variable | Default | |', '|---|---|---|---|', ...rows].join('\n');
}
