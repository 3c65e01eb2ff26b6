import { Switch as Base } from '@base-ui/react/switch';

export interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  onChange(isOn: boolean): void;
  readonly disabled?: boolean;
}

/** A switch that takes effect immediately. */
export function Switch({ label, isOn, onChange, disabled = false }: SwitchProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch brings its own input
    <label className="inline-flex items-center gap-2 max-sm:min-h-11">
      <Base.Root
        checked={isOn}
        onCheckedChange={onChange}
        disabled={disabled}
        className="inline-flex h-5 w-9 rounded-full border border-line-strong bg-sunken p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent-ground"
      >
        <Base.Thumb className="size-3.5 rounded-full bg-line-strong transition-transform data-checked:translate-x-4 data-checked:bg-on-accent rtl:data-checked:-translate-x-4" />
      </Base.Root>
      {label}
    </label>
  );
}
