import type { Command, Option } from 'commander';
import { connect } from './connection.ts';
import type { SHELLS } from './shells.ts';

/** A shell waits for the answer at every Tab; candidates that come later are not offered. */
const ASK_MS = 800;

/**
 * Candidates for the last word. `services` is called only where a service is expected. An error there means
 * no candidates, never a message in the middle of somebody's line.
 */
async function candidates(
  program: Command,
  words: readonly string[],
  services: () => Promise<readonly string[]>,
): Promise<string[]> {
  const before = words.slice(0, -1);
  const partial = words.at(-1) ?? '';
  let command = program;
  let argumentCount = 0;
  let open: Option | null = null;
  for (const word of before) {
    if (open !== null) open = null;
    else if (word.startsWith('-')) open = valueOption(command, word);
    else {
      const sub: Command | undefined = command.commands.find((c) => c.name() === word);
      if (sub === undefined) argumentCount += 1;
      else {
        command = sub;
        argumentCount = 0;
      }
    }
  }
  const offered =
    open !== null ? await ofOption(open, services) : await ofPlace(command, argumentCount, partial, services);
  return [...new Set(offered)].filter((word) => word.startsWith(partial)).sort();
}

function valueOption(command: Command, word: string): Option | null {
  if (word.includes('=')) return null;
  const found = command.options.find((o) => o.long === word || o.short === word);
  return found !== undefined && (found.required || found.optional) ? found : null;
}

const ofOption = async (option: Option, services: () => Promise<readonly string[]>) =>
  option.long === '--service' ? services() : (option.argChoices ?? []);

async function ofPlace(
  command: Command,
  argumentCount: number,
  partial: string,
  services: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const help = command.createHelp();
  if (partial.startsWith('-'))
    return help.visibleOptions(command).flatMap(({ long, short }) => [long ?? short ?? '']);
  if (command.commands.length > 0) return help.visibleCommands(command).map((c) => c.name());
  const argument = command.registeredArguments[argumentCount];
  if (argument?.name() === 'service') return services();
  return argument?.argChoices ?? [];
}

/** `evident complete`: prints one candidate per line. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const option = (name: 'server' | 'token') => {
    const value = words[words.indexOf(`--${name}`) + 1];
    return words.includes(`--${name}`) && value !== undefined ? { [name]: value } : {};
  };
  const services = async () => {
    try {
      const client = connect({ ...option('server'), ...option('token') });
      const { items } = await client.call<{ items: { ref: string }[] }>(
        'GET',
        '/v1/services?limit=200',
        undefined,
        {
          timeoutMs: ASK_MS,
        },
      );
      return items.map(({ ref }) => ref);
    } catch {
      return [];
    }
  };
  const found = await candidates(program, words, services);
  if (found.length > 0) console.log(found.join('\n'));
}

/** bash ends a word at `@`, so the part before it is removed from the candidates. */
const BASH = `# evident completion bash: source this file in ~/.bashrc
_evident() {
  local line="\${COMP_LINE:0:COMP_POINT}" IFS=$' \\t\\n'
  local -a words
  read -r -a words <<< "$line"
  [[ "$line" =~ [[:space:]]$ ]] && words+=("")
  local word="\${words[\${#words[@]}-1]}" found
  COMPREPLY=()
  while IFS= read -r found; do
    [[ -z "$found" ]] && continue
    [[ "$word" == *@* && "$COMP_WORDBREAKS" == *@* ]] && found="\${found#"\${word%@*}@"}"
    COMPREPLY+=("$found")
  done < <(evident complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _evident evident
`;

const ZSH = `#compdef evident
# evident completion zsh: save this as _evident in a folder of $fpath
_evident() {
  local -a found
  found=("\${(@f)$(evident complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" == _evident ]]; then _evident "$@"; else compdef _evident evident; fi
`;

const FISH = `# evident completion fish: save this as ~/.config/fish/completions/evident.fish
function __evident_complete
  set -l words (commandline -opc) (commandline -ct)
  evident complete -- $words[2..] 2>/dev/null
end
complete -c evident -f -a '(__evident_complete)'
complete -c evident -n '__fish_seen_subcommand_from deploy' -F
`;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export function printCompletion(shell: (typeof SHELLS)[number]): void {
  process.stdout.write(SCRIPTS[shell]);
}
