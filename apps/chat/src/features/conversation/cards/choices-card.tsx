import { Button } from '@berth/ui';

export interface ChoicesCardProps {
  readonly label: string;
  readonly question?: string | undefined;
  readonly options: readonly string[];
  onChoose(text: string): void;
}

/** A question of the agent or its suggested replies; pressing an option sends it as a message. */
export function ChoicesCard({ label, question, options, onChoose }: ChoicesCardProps) {
  return (
    <section aria-label={label} className="my-3 flex flex-col gap-2">
      {question && <strong dir="auto">{question}</strong>}
      <div className="flex flex-wrap gap-2">
        {options.map((text) => (
          <Button
            key={text}
            dir="auto"
            className="h-auto! min-h-8 max-w-full py-1 text-start whitespace-normal!"
            onClick={() => onChoose(text)}
          >
            {text}
          </Button>
        ))}
      </div>
    </section>
  );
}
