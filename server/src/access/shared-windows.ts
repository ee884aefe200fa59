import { limits } from '../kernel/limits.ts'
import type { Redis } from '../store/redis.ts'
import { redisScript, RedisAway } from '../store/redis.ts'
import type { Taken, Windows } from './windows.ts'

/** Windows of keys, exact over all instances that share one Redis as long as it answers. */
export interface SharedWindows {
  /** As Windows.take; never waits longer than limits.redisAnswerMilliseconds. */
  take(name: string, limit: number): Promise<Taken>
}

const PREFIX = 'florin:rate:'
const LENGTH_MILLISECONDS = limits.rateWindowSeconds * 1000

/**
 * One hash per window: n taken, e the server's time at which it ends, at which Redis also forgets it. The server's own time, so
 * that instances whose clocks differ agree. A refused request writes nothing.
 */
const TAKE = redisScript(`
local limit, length = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = redis.call('HMGET', KEYS[1], 'n', 'e')
local taken, ends = tonumber(window[1]), tonumber(window[2])
if not taken or not ends or ends <= now or ends > now + length then
  taken, ends = 0, now + length
  redis.call('DEL', KEYS[1])
end
if taken >= limit then return { 0, taken, now, ends } end
redis.call('HSET', KEYS[1], 'n', taken + 1, 'e', ends)
if taken == 0 then redis.call('PEXPIREAT', KEYS[1], ends) end
return { 1, taken + 1, now, ends }
`)

/**
 * Opens the windows that instances share. While Redis is away each instance goes on by itself from what it last heard, so a key
 * may have up to its limit once per instance then, and no request waits.
 */
export function openSharedWindows({
  redis,
  alone,
}: {
  readonly redis: Redis
  readonly alone: Windows
}): SharedWindows {
  return {
    take: async (name, limit) => {
      try {
        const result = await redis.run(TAKE, PREFIX + name, limit, LENGTH_MILLISECONDS)
        const [allowed, taken, now, ends] = fourNumbers(result)
        alone.adopt(name, { taken, leftMilliseconds: ends - now })
        return {
          allowed: allowed === 1,
          remaining: Math.max(0, limit - taken),
          nowMilliseconds: now,
          resetAtMilliseconds: ends,
        }
      } catch (error) {
        if (error instanceof RedisAway) return alone.take(name, limit)
        throw error
      }
    },
  }
}

function fourNumbers(result: unknown): readonly [number, number, number, number] {
  if (!Array.isArray(result)) throw new TypeError('the script gave no list')
  const [first, second, third, fourth] = result.map(Number)
  if (
    first === undefined ||
    second === undefined ||
    third === undefined ||
    fourth === undefined ||
    ![first, second, third, fourth].every(Number.isSafeInteger)
  ) {
    throw new TypeError('the script gave no numbers')
  }
  return [first, second, third, fourth]
}
