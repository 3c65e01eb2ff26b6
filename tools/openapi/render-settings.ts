import { describeSetting, SETTINGS, type Setting, type SettingKind } from '@berth/contract';

/** What may stand for a setting of each kind. */
const VALUES: Readonly<Record<SettingKind, string>> = {
  integer: '',
  memory: '',
  cpu: '',
  boolean: '`true`, `false`',
  volumes: 'mount path to volume',
  schedule: 'five cron fields, or with a time zone',
  health: 'a path, or with times',
};

/** The table of a deployment's settings as Markdown. */
export function renderSettings(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(([field, setting]) => {
    const { flag, example } = setting;
    const fallback = setting.default === null ? '' : `\`${setting.default}\``;
    return `| \`${field}\` | \`--${flag}\` | ${valuesOf(setting)} | ${fallback} | \`${JSON.stringify(example)}\` | ${describeSetting(setting)} |`;
  });
  return ['| Setting | Flag | Values | Default | Example | |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

function valuesOf(setting: Setting): string {
  if (!('min' in setting)) return VALUES[setting.kind];
  const steps = 'steps' in setting ? `, ${setting.steps.join(', ')}` : '';
  const unit = 'unit' in setting ? ` ${setting.unit}` : '';
  return `${setting.min}–${setting.max}${steps}${unit}`;
}
