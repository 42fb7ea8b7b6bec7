import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** An address that a webhook may not have. Whoever asked for it is told why. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused';
}

const HOW_TO_ALLOW = 'The operator of the server can allow it by --webhook-allow.';

/** Networks that are not the internet (F106): of this machine, of its neighbours, of a cloud's own services. */
const NOT_PUBLIC = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Of the public addresses of IPv6, those that lead on to addresses of IPv4, and those of documents. */
const PUBLIC_V6 = '2000::/3';
const NOT_PUBLIC_V6 = ['2001::/32', '2001:db8::/32', '2002::/16'];

const V4_IN_V6 = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** Throws a RangeError for a text that is no `address/bits`. */
export function networks(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    const version = isIP(address);
    if (version === 0 || !/^\d{1,3}$/.test(bits)) throw new RangeError(range);
    list.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const PRIVATE = networks(NOT_PUBLIC);
const PRIVATE_V6 = networks(NOT_PUBLIC_V6);
const GLOBAL_V6 = networks([PUBLIC_V6]);

/**
 * Guards the addresses that webhooks are sent to. A receiver is chosen by an administrator of an org, who need not be
 * somebody whom the operator of the server lets into its network.
 */
export class Destinations {
  readonly #allowed: BlockList;
  readonly #asked = new Map<string, Promise<LookupAddress[]>>();

  constructor(allowed: readonly string[]) {
    this.#allowed = networks(allowed);
  }

  /** Throws where it can be told from the text alone; the addresses of a name are looked at when it is connected to. */
  parse(text: string): URL {
    // URL reads decimal, octal and hexadecimal addresses, and says them in the one usual form.
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !['https:', 'http:'].includes(url.protocol))
      throw new DestinationRefused('It must be an address that begins with https://.');
    if (url.username !== '' || url.password !== '')
      throw new DestinationRefused('It must have no login in it: what is sent is signed.');
    const host = bare(url.hostname);
    if (isIP(host) !== 0) this.#check(host);
    if (url.protocol === 'http:' && !(isIP(host) !== 0 && this.#isAllowed(host)))
      throw new DestinationRefused(
        'It must begin with https://; http:// is for addresses that the server allows by --webhook-allow.',
      );
    return url;
  }

  /** Resolves names for a connection, which is made to an address that was looked at: no other can come between (F106). */
  readonly lookup: LookupFunction = (name, options, done) => {
    this.#addressesOf(name).then(
      (found) => {
        const [first] = found;
        if (options.all === true || first === undefined) return done(null, found);
        done(null, first.address, first.family);
      },
      (error: Error) => done(error, ''),
    );
  };

  /** One question for all messages to a name: a name server that is slow holds up no other receiver. */
  #addressesOf(name: string): Promise<LookupAddress[]> {
    const asked =
      this.#asked.get(name) ?? resolve(name, { all: true }).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asked);
    return asked.then((found) => {
      // Not which address: whoever made the webhook need not know the names of the server's network.
      if (found.some(({ address }) => !this.#isReachable(address)))
        throw new DestinationRefused(`${name} does not lead to the internet. ${HOW_TO_ALLOW}`);
      return found;
    });
  }

  #check(address: string): void {
    if (this.#isReachable(address)) return;
    throw new DestinationRefused(`${address} is not on the internet. ${HOW_TO_ALLOW}`);
  }

  #isReachable(address: string): boolean {
    return isPublic(address) || this.#isAllowed(address);
  }

  #isAllowed(address: string): boolean {
    const v4 = inV6(address);
    return this.#allowed.check(v4 ?? address, v4 !== null || isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
}

function isPublic(address: string): boolean {
  const v4 = isIP(address) === 4 ? address : inV6(address);
  if (v4 !== null) return !PRIVATE.check(v4, 'ipv4');
  return GLOBAL_V6.check(address, 'ipv6') && !PRIVATE_V6.check(address, 'ipv6');
}

/** `::ffff:127.0.0.1` is reached by IPv4. */
function inV6(address: string): string | null {
  const [, dotted, high, low] = V4_IN_V6.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return null;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');
