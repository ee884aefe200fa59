import { randomInt } from 'node:crypto'

/** Below what Linux (32768 to 60999) and macOS (49152 to 65535) give to outgoing connections, above most services of a machine. */
export const ANY_PORT_MIN = 20_000
export const ANY_PORT_MAX = 32_767

/**
 * A port by chance that no outgoing connection is given: it is still free when what listened there is started again.
 * A port that the system chooses may meanwhile be one end of any connection of the machine.
 */
export function anyPort(): number {
  return randomInt(ANY_PORT_MIN, ANY_PORT_MAX + 1)
}
