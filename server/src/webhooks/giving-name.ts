/** The name under which instances are told that there is something to give out to webhooks. */
export const GIVING = 'webhook-givings'
