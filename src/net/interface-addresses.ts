import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** The addresses of all network interfaces; undefined where a sandbox hides them, as one without netlink does. */
export function interfaceAddresses(list = networkInterfaces): NetworkInterfaceInfo[] | undefined {
  try {
    return Object.values(list()).flatMap((addresses) => addresses ?? []);
  } catch {
    return undefined;
  }
}
