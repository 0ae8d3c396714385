// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Challenges} from "../src/Challenges.sol";
import {Nectar} from "../src/Nectar.sol";
import {Openings} from "../src/Openings.sol";
import {PeerRegistry} from "../src/PeerRegistry.sol";
import {RewardVotes} from "../src/RewardVotes.sol";
import {RolloutCommitments} from "../src/RolloutCommitments.sol";
import {Rounds} from "../src/Rounds.sol";
import {Stakes} from "../src/Stakes.sol";
import {Secp256k1} from "./Secp256k1.sol";
import {TestBase} from "./TestBase.sol";

/// @dev The contracts, wired, with this contract as the administrator, at the first second of round 0.
abstract contract SwarmFixture is TestBase {
    uint40 internal constant START = 1_700_000_000;
    uint32 internal constant LENGTH = 20;
    /// @dev A specification of nothing but the leaves that a peer owes, 8, and those that are sampled, 4.
    bytes internal constant SPECIFICATION = hex"a26a6f7765644c6561766573086d73616d706c65644c656176657304";
    bytes32 internal constant ENVIRONMENT = keccak256(SPECIFICATION);
    uint256 internal constant MIN_GAS_PRICE_WEI = 0.1 gwei;
    uint256 internal constant FIRST_BOND = 0.01 ether;

    /// @dev A peer's key pair.
    struct Wallet {
        address addr;
        bytes publicKey;
        uint256 privateKey;
    }

    PeerRegistry internal registry;
    Rounds internal rounds;
    RolloutCommitments internal commitments;
    RewardVotes internal votes;
    Challenges internal challenges;
    Nectar internal nectar;
    Stakes internal stakes;
    Openings internal openings;

    function setUp() public virtual {
        vm.warp(START);
        rounds = new Rounds(address(this), START, LENGTH, ENVIRONMENT);
        registry = new PeerRegistry(address(this), rounds);
        stakes = new Stakes(registry, rounds, bootstrapRounds());
        commitments = new RolloutCommitments(registry, rounds, stakes);
        votes = new RewardVotes(address(this), registry, rounds, commitments, stakes);
        challenges = new Challenges(votes, MIN_GAS_PRICE_WEI, FIRST_BOND);
        openings = new Openings(votes);
        nectar = new Nectar(registry, votes, openings);
        stakes.wire(address(nectar), address(votes), address(challenges), address(openings));
    }

    /// @dev Rounds of bootstrap; most tests end within them.
    function bootstrapRounds() internal pure virtual returns (uint64 round) {
        return 1_000;
    }

    /// @dev The sum of all settled scores of a round.
    function pointsIn(uint64 round) internal view returns (uint256 pointsMilli) {
        (pointsMilli, , , ) = votes.totalsOf(round);
    }

    /// @dev The weight of the round, and the mean that it is limited to.
    function weightsIn(uint64 round) internal view returns (uint256 weight, uint256 meanWeight) {
        (, , weight, meanWeight) = votes.totalsOf(round);
    }

    /// @dev An account for a test's actor.
    function accountNamed(uint256 index) internal pure returns (address account) {
        return address(uint160(0xACC0000 + index));
    }

    /// @dev The first second of a round, which has blocks enough; the beacon of the one before is recorded.
    function enterRound(uint64 round) internal {
        vm.warp(rounds.startOf(round));
        vm.roll(vm.getBlockNumber() + 8);
        if (round == 0) return;
        openBeacon(rounds, round - 1);
        rounds.drawBeacon(round - 1);
    }

    /// @dev Registers the peer of a private key with an account, before the first round: its key counts in all of them.
    function enrol(uint256 privateKey, address account) internal returns (bytes32 peerKey) {
        uint256 nowSec = vm.getBlockTimestamp();
        vm.warp(START - 1);
        peerKey = enrolNow(privateKey, account);
        vm.warp(nowSec);
    }

    /// @dev Registers the peer of a private key with an account.
    function enrolNow(uint256 privateKey, address account) internal returns (bytes32 peerKey) {
        Wallet memory wallet = walletOf(privateKey);
        bytes memory signature = proofOf(wallet, account, type(uint256).max);
        vm.prank(account);
        return registry.register(wallet.publicKey, signature, type(uint256).max);
    }

    function walletOf(uint256 privateKey) internal view returns (Wallet memory wallet) {
        (uint256 x, uint256 y) = Secp256k1.publicKey(privateKey);
        bytes memory publicKey = abi.encode(x, y);
        return Wallet(address(uint160(uint256(keccak256(publicKey)))), publicKey, privateKey);
    }

    /// @dev The peer key's signature over a registration with the account's next nonce.
    function proofOf(
        Wallet memory wallet,
        address account,
        uint256 deadline
    ) internal view returns (bytes memory signature) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(
            wallet.privateKey,
            digestOf(address(registry), wallet.publicKey, account, registry.nonces(account), deadline)
        );
        return abi.encodePacked(r, s, v);
    }

    /// @dev EIP-712, spelled out again so that the contract is not its own judge.
    function digestOf(
        address verifyingContract,
        bytes memory publicKey,
        address account,
        uint256 nonce,
        uint256 deadline
    ) internal view returns (bytes32 digest) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Waggle PeerRegistry"),
                keccak256("1"),
                block.chainid,
                verifyingContract
            )
        );
        bytes32 words = keccak256(
            abi.encode(
                keccak256("Registration(address account,bytes32 publicKeyHash,uint256 nonce,uint256 deadline)"),
                account,
                keccak256(publicKey),
                nonce,
                deadline
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, words));
    }

    /// @dev Commits some rollouts of a peer in the current round.
    function commitRollouts(bytes32 peerKey) internal {
        uint64 round = rounds.currentRound();
        vm.prank(registry.accountOf(peerKey));
        commitments.commit(round, peerKey, keccak256("root"), 8, keccak256("policy"), keccak256("content"), 0);
    }
}
