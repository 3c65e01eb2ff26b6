import type { RollbackPreview } from '@berth/contract';
import type { useConsoleTexts } from '../../text/use-console-texts.ts';

/** A change that a rollback makes, in words. */
export interface RollbackChange {
  /** Unique among the changes. */
  readonly key: string;
  readonly label: string;
  readonly now: string;
  readonly after: string;
}

type Translate = ReturnType<typeof useConsoleTexts>['t'];
type Setting = RollbackPreview['settings'][number];
type Mount = RollbackPreview['volumes'][number]['to'];
type Schedule = NonNullable<RollbackPreview['schedule']>['to'];

/** Returns everything that a rollback changes: build, settings, schedule, volume mounts, variables. */
export function describeRollback(preview: RollbackPreview, t: Translate): readonly RollbackChange[] {
  const { build, settings, schedule, volumes, variables, created_volumes: created } = preview;
  const none = t('deployment.none');
  const setting = (value: Setting['to']) => {
    if (typeof value === 'boolean') return t(value ? 'deployment.rollback.on' : 'deployment.rollback.off');
    if (typeof value !== 'object') return String(value);
    return value === null ? none : t('deployment.rollback.health', { ...value });
  };
  const cron = (value: Schedule) => (value === null ? none : `${value.cron} (${value.timezone})`);
  const mount = (value: Mount) => {
    if (value === null) return none;
    const folder = value.sub_path === '' ? value.name : `${value.name}/${value.sub_path}`;
    return value.read_only ? `${folder} (${t('deploy.readOnly')})` : folder;
  };
  const restored = (value: Mount) =>
    value !== null && created.includes(value.name)
      ? t('deployment.rollback.createdVolume', { volume: mount(value) })
      : mount(value);
  return [
    ...(build
      ? [{ key: 'build', label: t('deployment.rollback.build'), now: short(build.from), after: short(build.to) }]
      : []),
    ...settings.map(({ field, from, to }) => ({
      key: `setting ${field}`,
      label: t(`setting.${field as 'port'}`),
      now: setting(from),
      after: setting(to),
    })),
    ...(schedule
      ? [{ key: 'schedule', label: t('setting.schedule'), now: cron(schedule.from), after: cron(schedule.to) }]
      : []),
    ...volumes.map(({ mount_path: path, from, to }) => ({
      key: `volume ${path}`,
      label: t('deployment.rollback.mount', { path }),
      now: mount(from),
      after: restored(to),
    })),
    ...variables.map(({ key, change }) => ({
      key: `variable ${key}`,
      label: t('deployment.rollback.variable', { key }),
      now: t(change === 'added' ? 'deployment.rollback.notSet' : 'deployment.rollback.currentValue'),
      after: t(change === 'removed' ? 'deployment.rollback.notSet' : 'deployment.rollback.earlierValue'),
    })),
  ];
}

/** Returns the first 12 hex digits of a digest, as container tools show them. */
function short(digest: string | null): string {
  return digest?.replace('sha256:', '').slice(0, 12) ?? '';
}
