import { createHash } from 'node:crypto'

/**
 * Three words for a peer, derived from its id alone and never changing: two different adjectives and an animal.
 *
 * For people, not for machines: among 16.7 million names two peers in a few thousand may share one.
 */
export function peerName(peerId: string): string {
  const digest = createHash('sha256').update(`waggle peer name\n${peerId}`).digest()
  const first = digest.readUInt8(0)
  // 1 to 255 steps further, so that the second differs from the first.
  const second = (first + 1 + (digest.readUInt16BE(1) % 255)) % 256
  return `${adjectives[first]} ${adjectives[second]} ${animals[digest.readUInt8(3)]}`
}

// A name must never change: neither the words nor their order may be edited.

/** 256, sorted. */
export const adjectives: readonly string[] = `
  able airy alert amber ancient aqua arctic ardent ashen astral azure bonny brave brief bright brisk bronze
  bubbly burly busy calm candid carefree careful casual cheery chilly chirpy civil classic clean clear clever
  cloudy coastal cobalt comic copper coral cosmic crafty crimson crisp curious curly dainty daring dashing
  dawn dear dewy dotted downy dreamy dusky eager early earnest earthy easy ebony elegant ember epic exact
  fabled fair faithful famous fancy feathery festive fiery fine flaxen fleet fluffy flying foggy fond forest
  frank free fresh friendly frosty frugal fuzzy gallant gentle giant gifted gilded glad glossy golden good
  grand grassy green gritty hardy hasty hazel hearty hidden honest icy indigo inky ivory ivy jaunty jolly
  jovial joyful jumpy keen kind lanky lasting lavender leafy lean lively lofty lone lovely loyal lucid lucky
  lunar lush magenta magic marble maroon mellow merry mighty mild minty misty mossy mottled neat nimble noble
  nutty oaken olive opal open orange patient peaceful pearly peppy perky pink placid playful plucky plum polar
  posh prime purple quaint quick quiet quirky radiant rapid rare ready regal restless robust rocky rosy royal
  ruby rugged russet rustic sable saffron sandy savvy scarlet serene shady shaggy shiny shy silent silver
  simple sleek slender smooth snappy snowy solar solid sonic speckled spirited splendid spotted spry steady
  stellar still stormy stout striped sturdy subtle sunny swift tame tan tawny teal tender thankful thirsty
  thorny thrifty tidy tiny toasty tough trusty twilight upbeat urban valiant vast velvet verdant vivid
  wandering warm wary watchful wavy windy wintry wispy witty woolly zany zesty
`
  .trim()
  .split(/\s+/)

/** 256, sorted. */
export const animals: readonly string[] = `
  aardvark albatross alpaca anole ant antelope armadillo avocet baboon basilisk bass bear beaver beetle bison
  bittern blackbird boa boar bobcat buffalo bullfinch bumblebee bunting butterfly buzzard caiman camel canary
  capybara caracal cardinal caribou carp cassowary caterpillar catfish chameleon chamois cheetah chinchilla
  chipmunk cicada civet cobra cod condor coot cormorant cow coyote crane crayfish cricket crow cuckoo curlew
  cuttlefish damselfly deer dingo dipper dodo dogfish dolphin donkey dotterel dove dragonfly duck dugong
  dunlin eagle echidna eel egret eider eland elk emu falcon fennec ferret fossa fox gannet gar gazelle gecko
  gerbil gibbon giraffe gnu goldfinch goose grackle grasshopper grebe guanaco gull hare harrier hawk hedgehog
  heron hoopoe hornbill hornet horse hound hummingbird ibex ibis iguana impala jackdaw jackrabbit jaguar jay
  jellyfish jerboa kakapo kangaroo kestrel kingfisher kinkajou kiwi koala krill kudu ladybird lamprey lapwing
  lark lemur leopard linnet lion lizard llama lobster locust loon lorikeet loris lynx macaque mallard manatee
  mandrill manta mantis marlin marmoset marten martin meerkat merlin millipede minnow mole mollusc mongoose
  moorhen moose mosquito moth mouse mule muskox muskrat newt numbat ocelot okapi orca osprey owl ox oyster
  panther parakeet parrot partridge penguin petrel pika plaice platypus pony porcupine porpoise possum prawn
  quail quetzal quokka quoll rabbit raccoon raven ray reindeer rhea robin rook salamander salmon sandpiper
  sardine scallop scorpion seal serval shark shrew shrike siskin skylark sloth slug snipe sparrow spoonbill
  squid squirrel stag stingray stoat swan tapir tarsier terrapin thrush tortoise toucan trout tuna turkey
  turtle viper vole wallaby warthog wasp weasel weevil whale wolf wolverine wombat woodcock woodlark
  woodpecker wren yak
`
  .trim()
  .split(/\s+/)
