import type { Scope } from '@berth/contract';
import { SCOPES } from '@berth/contract/rights';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link ScopeBoxes}. */
export interface ScopeBoxesProps {
  readonly scopes: readonly Scope[];
  onChange(scopes: readonly Scope[]): void;
}

/** Check boxes for a key's scopes, with their descriptions. */
export function ScopeBoxes({ scopes, onChange }: ScopeBoxesProps) {
  const { t } = useConsoleTexts();
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))));
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">{t('keys.scopes')}</legend>
      {SCOPES.map((scope) => (
        <label key={scope} className="flex items-center gap-2 max-sm:min-h-8">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={(event) => toggle(scope, event.target.checked)}
            className="size-4 accent-accent-ground"
          />
          <code className="w-16 font-mono text-xs">{scope}</code>
          <span className="text-ink-soft">{t(`keys.scope.${scope}`)}</span>
        </label>
      ))}
      {scopes.length === 0 && (
        <p role="alert" className="text-xs text-bad">
          {t('keys.pickScope')}
        </p>
      )}
    </fieldset>
  );
}
