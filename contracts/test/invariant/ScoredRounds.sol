// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Challenges} from "../../src/Challenges.sol";
import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {RewardVotes} from "../../src/RewardVotes.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Rounds} from "../../src/Rounds.sol";
import {IRewardVotes} from "../../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {TestBase} from "../TestBase.sol";

/// @dev Rounds in which all peers commit and all seats vote, with books of its own of what their scores weigh and earn.
abstract contract ScoredRounds is TestBase {
    struct Parts {
        PeerRegistry registry;
        Rounds rounds;
        RolloutCommitments commitments;
        RewardVotes votes;
        Challenges challenges;
        bytes specification;
    }

    uint16 internal constant GONE = 65535;
    bytes32 internal constant POLICY = keccak256("policy");
    bytes internal constant BODY = "a body";
    uint256 public constant PEERS = 3;
    uint256 public constant SEATS = 12;

    Parts internal parts;
    bytes32[] public peers;
    bytes32[] internal seats;
    bytes32 internal bodyHash = sha256(BODY);

    mapping(uint64 round => uint256 draw) internal draws;
    mapping(uint64 round => mapping(bytes32 peer => uint16)) public score;
    mapping(uint64 round => mapping(bytes32 peer => uint8)) internal outcome;
    /// @dev Weights of a peer in the seven rounds before, when a round was settled.
    mapping(uint64 round => mapping(bytes32 peer => uint256)) internal scoredBefore;
    mapping(uint64 round => bool) internal isWeighed;
    /// @dev The mean of what the rounds before weighed, when a round was settled; how many were, and the last of them.
    mapping(uint64 round => uint256) public meanBefore;
    uint256 internal weighedCount;
    uint64 internal lastWeighed;
    /// @dev Settled scores + 1 that open cases hold, and how many demands are open.
    mapping(bytes32 caseKey => uint256) internal openCases;
    mapping(bytes32 caseKey => uint256) internal openDemands;
    /// @dev Earnings of a peer in the rounds before this one, all of them final.
    uint64 internal bankedTo;
    mapping(bytes32 peer => uint256) internal bankedWei;
    uint256[6] public reached; // shown, withheld, overturned, stood, weighed as voted, taken

    constructor(Parts memory parts_, bytes32[] memory peers_, bytes32[] memory seats_) {
        parts = parts_;
        (peers, seats) = (peers_, seats_);
    }

    /// @dev Seats that were blamed too often come back, or there would soon be none.
    function fillSeats() internal {
        if (parts.votes.seatCountAt(parts.rounds.firstOpenRound()) == SEATS) return;
        for (uint256 i = 0; i < SEATS; ++i) {
            // It refuses those that are seated.
            try parts.votes.admitEvaluator(seats[i]) {} catch {}
        }
    }

    function commit(uint64 round, bytes32 peer) internal {
        if (parts.commitments.committed(round, peer)) return;
        bytes32 root = rootOf(round, peer);
        vm.prank(parts.registry.accountOf(peer));
        parts.commitments.commit(round, peer, root, 8, POLICY, POLICY, 0);
    }

    function vote(uint64 round, uint256 draw) internal {
        bytes32[] memory committee = parts.votes.committeeOf(round, 0);
        for (uint8 i = 0; i < committee.length; ++i) {
            (bool isMade, ) = ballotState(parts.votes.ballotWord(round, 0, i), round);
            if (isMade) continue;
            bytes32 hash = keccak256(
                abi.encode(block.chainid, address(parts.votes), ballotFor(round, i, committee[i]), bytes32(draw))
            );
            draws[round] = draw;
            vm.prank(parts.registry.accountOf(committee[i]));
            parts.votes.commitVotes(round, 0, i, committee[i], hash);
        }
    }

    function reveal(uint64 round) internal {
        bytes32[] memory committee = parts.votes.committeeOf(round, 0);
        for (uint8 i = 0; i < committee.length; ++i) {
            (bool isMade, bool isOpened) = ballotState(parts.votes.ballotWord(round, 0, i), round);
            if (isMade && !isOpened) parts.votes.revealVotes(ballotFor(round, i, committee[i]), bytes32(draws[round]));
        }
    }

    function settle(uint64 round) internal {
        if (parts.commitments.committedCount(round) == 0) return;
        if (!isWeighed[round]) weigh(round);
        parts.votes.settle(round, 0, peers);
        for (uint256 i = 0; i < PEERS; ++i) {
            if (outcome[round][peers[i]] != 0) continue;
            (outcome[round][peers[i]], score[round][peers[i]]) = parts.votes.outcomeOf(round, peers[i]);
        }
    }

    /// @dev The books of weights; every round is settled.
    function weigh(uint64 round) internal {
        isWeighed[round] = true;
        uint256 span = weighedCount < 32 ? weighedCount : 32;
        if (span != 0) meanBefore[round] = (meanBefore[lastWeighed] * (span - 1) + totalOf(lastWeighed)) / span;
        (weighedCount, lastWeighed) = (weighedCount + 1, round);
        for (uint64 earlier = round < 7 ? 0 : round - 7; earlier < round; ++earlier) {
            for (uint256 i = 0; i < PEERS; ++i) {
                bool isOpen = openCases[keccak256(abi.encode(earlier, peers[i]))] != 0;
                bool isVoted = isOpen && outcome[earlier][peers[i]] == 2;
                scoredBefore[round][peers[i]] += isVoted ? (votedOn(earlier, i) * 2) / 5 : score[earlier][peers[i]];
                if (isVoted) ++reached[4];
            }
        }
    }

    function lose(uint64 round, bytes32 peer) internal {
        if (outcome[round][peer] >= 5) return;
        (outcome[round][peer], score[round][peer]) = (6, 0);
    }

    /// @dev Sum of a peer's final scores, by the books.
    function expectedEarned(bytes32 peer) external view returns (uint256 amountWei) {
        amountWei = bankedWei[peer];
        uint64 last = parts.rounds.currentRound();
        for (uint64 round = bankedTo; round + 3 < last; ++round) amountWei += earnedIn(round, peer);
    }

    /// @dev Current weight of the scores of a round.
    function totalOf(uint64 round) internal view returns (uint256 total) {
        for (uint256 i = 0; i < PEERS; ++i) total += weightOf(round, peers[i], score[round][peers[i]]);
    }

    function earnedIn(uint64 round, bytes32 peer) internal view returns (uint256 amountWei) {
        uint256 total = totalOf(round);
        for (uint256 i = 0; i < PEERS; ++i) {
            uint256 appealedMilli = openCases[keccak256(abi.encode(round, peers[i]))];
            if (appealedMilli == 0) continue;
            total += weightOf(round, peers[i], 1000) - weightOf(round, peers[i], appealedMilli - 1);
        }
        if (total < meanBefore[round]) total = meanBefore[round];
        bytes32 key = keccak256(abi.encode(round, peer));
        if (total == 0 || openCases[key] + openDemands[key] != 0) return 0;
        return (1_000 ether * weightOf(round, peer, score[round][peer])) / total;
    }

    /// @dev A score, or five quarters of the mean of the last eight if that is less; in 32nds.
    function weightOf(uint64 round, bytes32 peer, uint256 scoreMilli) internal view returns (uint256 weight) {
        uint256 most = 5 * (scoredBefore[round][peer] + scoreMilli);
        return 32 * scoreMilli < most ? 32 * scoreMilli : most;
    }

    /// @dev The seats that have something to score agree.
    function votedOn(uint64 round, uint256 peer) internal pure returns (uint16 scoreMilli) {
        return uint16(uint256(keccak256(abi.encode(round, peer))) % 1001);
    }

    function ballotFor(
        uint64 round,
        uint8 position,
        bytes32 seat
    ) internal pure returns (IRewardVotes.Ballot memory ballot) {
        (ballot.round, ballot.position, ballot.evaluatorKey) = (round, position, seat);
        (ballot.scoresMilli, ballot.componentRoots) = (new uint16[](PEERS), new bytes32[](PEERS));
        for (uint256 i = 0; i < PEERS; ++i) {
            // Now and then most of the committee has nothing to score, or one of its seats.
            uint256 missed =
                (round + i) % 4 == 0
                    ? 3
                    : (round + i) % 4 == 1
                        ? 1
                        : 0;
            ballot.scoresMilli[i] = position < missed ? GONE : votedOn(round, i);
        }
    }

    /// @dev Eight leaves that differ by index only.
    function leafOf(uint32 index) internal view returns (IRolloutCommitments.Leaf memory leaf) {
        (leaf.index, leaf.policyHash, leaf.bodyHash) = (index, POLICY, bodyHash);
    }

    function nodes(uint64 round, bytes32 peer) internal view returns (bytes32[15] memory tree) {
        for (uint32 i = 0; i < 8; ++i) tree[7 + i] = parts.commitments.leafOf(round, peer, leafOf(i));
        for (uint256 i = 7; i > 0; --i) {
            (bytes32 a, bytes32 b) = (tree[2 * i - 1], tree[2 * i]);
            tree[i - 1] = keccak256(a < b ? abi.encode(a, b) : abi.encode(b, a));
        }
    }

    function rootOf(uint64 round, bytes32 peer) internal view returns (bytes32 root) {
        return nodes(round, peer)[0];
    }

    function proofOf(uint64 round, bytes32 peer, uint32 index) internal view returns (bytes32[] memory proof) {
        bytes32[15] memory tree = nodes(round, peer);
        proof = new bytes32[](3);
        uint256 at = 7 + index;
        for (uint256 i = 0; i < 3; ++i) {
            proof[i] = tree[at % 2 == 1 ? at + 1 : at - 1];
            at = (at - 1) / 2;
        }
    }

    function workOf(uint64 round, bytes32 peer) internal view returns (IRolloutCommitments.Work memory work) {
        return IRolloutCommitments.Work(rootOf(round, peer), 8, POLICY, POLICY);
    }
}
