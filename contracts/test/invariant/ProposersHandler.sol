// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Openings} from "../../src/Openings.sol";
import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Rounds} from "../../src/Rounds.sol";
import {Stakes} from "../../src/Stakes.sol";
import {IStakes} from "../../src/interfaces/IStakes.sol";
import {TestToken} from "../market/MarketDoubles.sol";
import {TestBase} from "../TestBase.sol";

/// @dev Proposers that stake, leave, withdraw and come back, before and after bootstrap, while they commit to secrets and
/// propose or not; anyone shows faults, rightly and not. The first does what a node does in each round, whatever its
/// operator does with the stake. It keeps its own books, in rounds instead of words of a ring.
contract ProposersHandler is TestBase {
    struct Parts {
        PeerRegistry registry;
        Rounds rounds;
        RolloutCommitments commitments;
        Openings openings;
        Stakes stakes;
        TestToken token;
        uint64 bootstrap;
    }

    IStakes.Duty internal constant DUTY = IStakes.Duty.Proposer;
    uint256 internal constant FULL_WEI = 50 ether;
    uint256 internal constant FINE_WEI = 0.5 ether;
    /// @dev Rounds after which a new secret takes the place of one in the ring.
    uint64 internal constant RING_ROUNDS = 8;

    Parts internal parts;
    bytes32[] public peers;

    mapping(bytes32 peerKey => uint256) public stakedWei;
    /// @dev The round after that of the notice; 0 for none.
    mapping(bytes32 peerKey => uint64) public noticeBefore;
    mapping(uint64 round => mapping(bytes32 peerKey => bool)) public isOwed;
    mapping(uint64 round => mapping(bytes32 peerKey => bool)) internal isProposed;
    mapping(uint64 round => mapping(bytes32 peerKey => bool)) internal isFined;
    mapping(uint64 round => bool) internal isBlind;

    uint256 public fines;
    uint256 public honestFines;
    uint256 public burntWei;
    uint256 public proposals;
    uint256 public withdrawals;
    uint256 public refused;
    /// @dev Calls that got through against the rule, or were refused against it, by subject.
    uint256 public wrongSecrets;
    uint256 public wrongFines;
    uint256 public wrongStakes;
    uint256 public escaped;
    uint256 public locked;

    constructor(Parts memory parts_, bytes32[] memory peers_) {
        parts = parts_;
        peers = peers_;
    }

    /// @dev Mostly a round, now and then as many as a stake takes to leave; in each the first peer does its work.
    function pass(uint256 drawn) external {
        uint256 draw = mixed(drawn);
        uint256 count = draw % 8 == 0 ? 1 + ((draw >> 8) % 14) : 1;
        for (uint256 i = 0; i < count; ++i) {
            work();
            uint64 round = parts.rounds.currentRound();
            vm.warp(parts.rounds.startOf(round + 1));
            vm.roll(vm.getBlockNumber() + 8);
            isBlind[round] = (draw >> (32 + i)) % 8 == 0;
            if (isBlind[round]) continue;
            openBeacon(parts.rounds, round);
            parts.rounds.drawBeacon(round);
        }
    }

    /// @dev A node in a round: it proposes what it owes, with the hash of its next secret, or commits to that.
    function work() internal {
        uint64 round = parts.rounds.currentRound();
        bytes32 peer = peers[0];
        (bool hasSecret, ) = parts.commitments.secretOf(round + 1, peer);
        // It samples by the beacon of the round before.
        if (hasSecret && round != 0 && !isBlind[round - 1]) propose(round + 1, peer, true);
        if (parts.stakes.mayPropose(peer, round + 2)) commitSecret(round + 2, peer);
    }

    /// @dev One step of a proposer, in its time or not.
    function step(uint256 drawn) external {
        uint256 draw = mixed(drawn);
        bytes32 peer = peers[1 + ((draw >> 8) % (peers.length - 1))];
        uint64 round = parts.rounds.currentRound() + ((draw >> 16) % 8 == 0 ? uint64((draw >> 24) % 4) : 1);
        if (draw % 2 == 0) propose(round, peer, (draw >> 32) % 2 == 0);
        else commitSecret(round + 1, peer);
    }

    function commitSecret(uint64 round, bytes32 peer) internal {
        bool allowed = round == parts.rounds.currentRound() + 2 && covers(round, peer);
        vm.prank(parts.registry.accountOf(peer));
        try parts.commitments.commitSecret(round, peer, hashOf(round)) {
            if (!allowed) ++wrongSecrets;
            isOwed[round][peer] = true;
        } catch {
            if (allowed) ++wrongSecrets;
            ++refused;
        }
    }

    function propose(uint64 round, bytes32 peer, bool goesOn) internal {
        bool allowed = round == parts.rounds.currentRound() + 1 && isOwed[round][peer] && !isProposed[round][peer];
        bytes32 nextHash = goesOn ? hashOf(round + 1) : bytes32(0);
        vm.prank(parts.registry.accountOf(peer));
        try parts.commitments.propose(round, peer, secretOf(round), 1, "a task", nextHash) {
            if (!allowed) ++wrongSecrets;
            isProposed[round][peer] = true;
            if (goesOn && covers(round + 1, peer)) isOwed[round + 1][peer] = true;
            ++proposals;
        } catch {
            if (allowed) ++wrongSecrets;
            ++refused;
        }
    }

    /// @dev Anyone shows a fault, of any of the last rounds or of the next.
    function challenge(uint256 drawn) external {
        uint256 draw = mixed(drawn);
        bytes32 peer = peers[(draw >> 8) % peers.length];
        uint64 back = uint64(draw % 4 == 0 ? (draw >> 16) % 10 : 1 + ((draw >> 16) % 2));
        uint64 next = parts.rounds.currentRound() + 1;
        uint64 round = back < next ? next - back : 0;
        bool allowed = isAtFault(round, peer);
        uint256 lost = stakedWei[peer] < FINE_WEI ? stakedWei[peer] : FINE_WEI;
        vm.prank(address(uint160(uint256(keccak256(abi.encode(draw))))));
        try parts.openings.challengeSecret(round, peer) returns (uint256 lostWei) {
            if (!allowed || lostWei != lost) ++wrongFines;
            isFined[round][peer] = true;
            stakedWei[peer] -= lost;
            burntWei += lost;
            ++fines;
            if (peer == peers[0]) ++honestFines;
        } catch {
            if (allowed) ++wrongFines;
            ++refused;
        }
    }

    /// @dev The operator of any of them, or, now and then, whoever may slash.
    function operate(uint256 drawn) external {
        uint256 draw = mixed(drawn);
        bytes32 peer = peers[(draw >> 8) % peers.length];
        uint256 kind = draw % 8;
        if (kind < 3) stake(peer);
        else if (kind < 5) unstake(peer);
        else if (kind < 7) withdraw(peer);
        else if (peer != peers[0]) lose(peer, uint16((draw >> 16) % 600));
    }

    function stake(bytes32 peer) internal {
        uint256 missingWei = FULL_WEI - stakedWei[peer];
        address account = parts.registry.accountOf(peer);
        bool allowed = missingWei != 0 || noticeBefore[peer] != 0;
        if (parts.token.balanceOf(account) < missingWei) return;
        vm.prank(account);
        try parts.stakes.stake(DUTY, peer) {
            if (!allowed) ++wrongStakes;
            (stakedWei[peer], noticeBefore[peer]) = (FULL_WEI, 0);
        } catch {
            if (allowed) ++wrongStakes;
            ++refused;
        }
    }

    function unstake(bytes32 peer) internal {
        bool allowed = stakedWei[peer] != 0 && noticeBefore[peer] == 0;
        vm.prank(parts.registry.accountOf(peer));
        try parts.stakes.unstake(DUTY, peer) {
            if (!allowed) ++wrongStakes;
            noticeBefore[peer] = parts.rounds.currentRound() + 1;
        } catch {
            if (allowed) ++wrongStakes;
            ++refused;
        }
    }

    /// @dev Anyone may call; it goes to the peer's account.
    function withdraw(bytes32 peer) internal {
        uint64 current = parts.rounds.currentRound();
        bool isDue = noticeBefore[peer] != 0 && stakedWei[peer] != 0 && current >= noticeBefore[peer] + 12;
        address account = parts.registry.accountOf(peer);
        uint256 before = parts.token.balanceOf(account);
        try parts.stakes.withdraw(DUTY, peer) {
            if (!isDue || parts.token.balanceOf(account) - before != stakedWei[peer]) ++wrongStakes;
            if (owesSomething(peer)) ++escaped;
            (stakedWei[peer], noticeBefore[peer]) = (0, 0);
            ++withdrawals;
        } catch {
            if (isDue) ++locked;
            ++refused;
        }
    }

    function lose(bytes32 peer, uint16 milli) internal {
        uint256 lost = (FULL_WEI * milli) / 1000;
        if (lost > stakedWei[peer]) lost = stakedWei[peer];
        vm.prank(address(parts.openings));
        parts.stakes.slash(DUTY, peer, milli, address(0));
        stakedWei[peer] -= lost;
        burntWei += lost;
    }

    function peerCount() external view returns (uint256 count) {
        return peers.length;
    }

    /// @dev Whether the round's secret is still in its place of the ring.
    function isKept(uint64 round, bytes32 peer) public view returns (bool kept) {
        return isOwed[round][peer] && !isOwed[round + RING_ROUNDS][peer];
    }

    /// @dev The rule in words: it committed to a secret, its seed could be known, the round has begun without its tasks,
    /// and nobody has shown it.
    function isAtFault(uint64 round, bytes32 peer) internal view returns (bool is_) {
        if (round < 2 || round > parts.rounds.currentRound() || isBlind[round - 2]) return false;
        return isKept(round, peer) && !isProposed[round][peer] && !isFined[round][peer];
    }

    /// @dev In the time that evaluators have, or in the two rounds to come.
    function owesSomething(bytes32 peer) internal view returns (bool owes) {
        uint64 current = parts.rounds.currentRound();
        for (uint64 round = current < 6 ? 0 : current - 6; round <= current; ++round) {
            if (isAtFault(round, peer)) return true;
        }
        return (isOwed[current + 1][peer] && !isProposed[current + 1][peer]) || isOwed[current + 2][peer];
    }

    /// @dev Whether the stake, as it is, answers for a round: without notice, or up to the second round after it.
    function covers(uint64 round, bytes32 peer) internal view returns (bool does) {
        if (round < parts.bootstrap) return true;
        return stakedWei[peer] * 2 >= FULL_WEI && (noticeBefore[peer] == 0 || round <= noticeBefore[peer] + 1);
    }

    function hashOf(uint64 round) internal pure returns (bytes32 hash) {
        return keccak256(abi.encode(secretOf(round)));
    }

    function secretOf(uint64 round) internal pure returns (bytes32 secret) {
        return keccak256(abi.encode("secret", round));
    }
}
