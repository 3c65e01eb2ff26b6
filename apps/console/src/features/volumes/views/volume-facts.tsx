import { Link } from '@tanstack/react-router';
import { useVolumes } from '../../../api/shared-lists.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Size of a volume and the deployments that mount it. */
export function VolumeFacts({ volume }: { readonly volume: string }) {
  const { t, formats } = useConsoleTexts();
  const { data } = useVolumes();
  const found = data?.find(({ name }) => name === volume);
  return (
    <p className="mb-3 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-ink-soft">
      {found && <span>{t('files.facts', { count: found.object_count, size: formats.bytes(found.size_bytes) })}</span>}
      {found && found.attached_to.length > 0 && (
        <span className="flex min-w-0 flex-wrap gap-x-2">
          {t('files.mountedBy')}
          <AttachedTo names={found.attached_to} />
        </span>
      )}
    </p>
  );
}

/** Links to the deployments that mount a volume. */
export function AttachedTo({ names }: { readonly names: readonly string[] }) {
  return names.map((name) => (
    <Link
      key={name}
      to="/deployments/$name"
      params={{ name }}
      className="max-w-full truncate text-accent hover:underline"
    >
      <bdi>{name}</bdi>
    </Link>
  ));
}
