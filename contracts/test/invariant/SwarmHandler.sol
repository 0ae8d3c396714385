// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Challenges} from "../../src/Challenges.sol";
import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {Nectar} from "../../src/Nectar.sol";
import {RewardVotes} from "../../src/RewardVotes.sol";
import {IRewardVotes} from "../../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Rounds} from "../../src/Rounds.sol";
import {Median} from "../Median.sol";
import {WeightBooks} from "./WeightBooks.sol";

/// @dev Plays a swarm at random, and keeps books of its own in the plainest form. What the contracts must refuse is
/// tried as well: `refused` counts what they refused, `slipped` what they let through.
contract SwarmHandler is WeightBooks {
    struct Parts {
        PeerRegistry registry;
        Rounds rounds;
        RolloutCommitments commitments;
        RewardVotes votes;
        Challenges challenges;
        Nectar nectar;
        address admin;
    }

    uint16 internal constant GONE = 65535;
    bytes32 internal constant POLICY = keccak256("policy");
    uint256 public constant EVALUATORS = 8;

    Parts internal parts;
    bytes32[] public evaluators;

    mapping(uint64 round => mapping(bytes32 peerKey => bool)) public committedInTime;
    mapping(uint64 round => mapping(bytes32 peerKey => uint16[])) internal cast;
    mapping(uint64 round => bytes32[] peerKeys) internal order;
    mapping(uint64 round => mapping(bytes32 evaluatorKey => IRewardVotes.Ballot)) internal ballots;
    mapping(uint64 round => mapping(bytes32 evaluatorKey => bool)) public sealed_;
    mapping(uint64 round => mapping(bytes32 evaluatorKey => bool)) public opened;
    mapping(uint64 round => bytes32) public committeeHash;
    mapping(uint64 round => bytes32) public beacons;
    mapping(uint64 round => bool) public judged;
    mapping(bytes32 evaluatorKey => uint256) public expectedMisses;
    mapping(uint64 round => mapping(bytes32 peerKey => uint256)) public timesSettled;
    mapping(bytes32 peerKey => uint256) public expectedPoints;
    mapping(uint64 round => uint256) public expectedRoundPoints;
    mapping(uint64 round => mapping(bytes32 peerKey => bool)) public falseLeaf;
    mapping(uint64 round => mapping(bytes32 peerKey => bool)) public annulled;
    uint256 public annulments;
    mapping(uint64 round => bytes32) public seatsHash;
    mapping(uint64 round => uint256) public startsAtSec;

    uint64 public lastRound;
    uint64 public roundsSeen;
    bool public wentBack;
    uint256 public settlements;
    uint256 public claimed;
    uint256 public burnt;
    uint256 public scored;
    uint256 public refused;
    uint256 public slipped;
    uint256 public wronglySettled;
    uint256 public settledLate;

    constructor(Parts memory parts_, bytes32[] memory peers_, bytes32[] memory evaluators_) {
        parts = parts_;
        peers = peers_;
        evaluators = evaluators_;
        observe();
    }

    /// @dev Mostly plays the round to its end first, else few peers would ever come as far as a score. Sometimes
    /// passes over several rounds.
    function pass(uint256 draw) external {
        if (draw % 16 != 0) {
            settle(draw >> 8);
            reveal(draw >> 8);
            vote(draw >> 8);
            commit(draw >> 8);
        }
        uint64 round = parts.rounds.currentRound();
        uint64 ahead = (draw >> 16) % 32 == 0 ? uint64(bound(draw >> 24, 2, 9)) : 1;
        // The next commitment takes the place of the last settled one in the ring of outcomes.
        if ((draw >> 16) % 16 == 1) ahead = 9;
        vm.warp(bound(draw >> 32, parts.rounds.startOf(round + ahead), parts.rounds.endOf(round + ahead) - 1));
        if ((draw >> 40) % 16 != 0) {
            openBeacon(parts.rounds, round + ahead - 1);
            beacons[round + ahead - 1] = parts.rounds.drawBeacon(round + ahead - 1);
        }
        observe();
    }

    /// @dev One step of a round at any time, in or out of its turn. Few functions, since the runner draws among all alike,
    /// and only those that pass time get a round to its end.
    function step(uint256 draw) external {
        uint256 kind = draw % 4;
        if (kind == 0) commit(draw >> 8);
        if (kind == 1) vote(draw >> 8);
        if (kind == 2) reveal(draw >> 8);
        if (kind == 3) settle(draw >> 8);
    }

    function spend(uint256 draw) external {
        if (draw % 2 == 0) claim(draw >> 8);
        else burn(draw >> 8);
    }

    function administer(uint256 draw) external {
        if (draw % 2 == 0) changeSeats(draw >> 8);
        else changeSchedule(draw >> 8);
    }

    function commit(uint256 draw) internal {
        uint64 round = parts.rounds.currentRound();
        for (uint256 i = 0; i < PEERS; ++i) {
            if ((draw >> (3 * i)) & 3 == 0) continue;
            falseLeaf[round][peers[i]] = (draw >> (64 + i)) & 3 == 0;
            attemptCommit(round, peers[i], rootFor(round, peers[i]), true);
            if (!committedInTime[round][peers[i]]) order[round].push(peers[i]);
            committedInTime[round][peers[i]] = true;
        }
        bytes32 late = peers[draw % PEERS];
        if (round > 0) attemptCommit(round - 1, late, bytes32(draw | 1), false);
        attemptCommit(round + 1, late, bytes32(draw | 1), false);
    }

    function vote(uint256 draw) internal {
        uint64 current = parts.rounds.currentRound();
        if (current == 0) return;
        uint64 round = current - 1;
        for (uint256 i = 0; i < EVALUATORS; ++i) {
            if ((draw >> (3 * i)) & 7 == 0) continue;
            uint8 position = positionOf(round, evaluators[i]);
            bool isThere = order[round].length != 0;
            bool allowed = isThere && position < 5 && !sealed_[round][evaluators[i]] && !isVoid(round);
            tryCommit(ballotFor(round, position % 5, evaluators[i], draw), allowed);
        }
    }

    function reveal(uint256 draw) internal {
        uint64 current = parts.rounds.currentRound();
        if (current < 2) return;
        uint64 round = current - 2;
        for (uint256 i = 0; i < EVALUATORS; ++i) {
            if ((draw >> (3 * i)) & 7 == 0) continue;
            bool allowed = sealed_[round][evaluators[i]] && !opened[round][evaluators[i]];
            IRewardVotes.Ballot memory ballot = ballots[round][evaluators[i]];
            if (!sealed_[round][evaluators[i]]) ballot = ballotFor(round, 0, evaluators[i], draw);
            tryReveal(ballot, allowed);
        }
    }

    function settle(uint256 draw) internal {
        uint64 current = parts.rounds.currentRound();
        if (current < 3) return;
        for (uint256 i = 0; i < PEERS; ++i) if ((draw >> (3 * i)) & 7 != 0) attemptSettle(current - 3, peers[i], true);
        attemptSettle(current - 2, peers[draw % PEERS], false);
        if (current > 3) attemptSettle(current - 4, peers[draw % PEERS], false);
    }

    /// @dev Challenges a leaf of a round that is still open to it, one of the running round, and one of a final round.
    function challenge(uint256 draw) external {
        uint64 current = parts.rounds.currentRound();
        bytes32 peer = peers[draw % PEERS];
        for (uint64 back = 0; back <= 4 && back <= current; ++back) {
            uint64 round = current - back;
            bool allowed = back > 0 && back < 4 && committedInTime[round][peer] && falseLeaf[round][peer];
            tryChallenge(round, peer, allowed && !annulled[round][peer] && hasSeeds(round));
        }
    }

    function tryChallenge(uint64 round, bytes32 peer, bool allowed) internal {
        IRolloutCommitments.Work memory work = IRolloutCommitments.Work(rootFor(round, peer), 1, POLICY, POLICY);
        try parts.challenges.challengeLeaf(round, peer, work, leafFor(round, peer), new bytes32[](0)) {
            note(allowed);
            annulled[round][peer] = true;
            ++annulments;
            expectedPoints[peer] -= expectedScore[round][peer];
            expectedRoundPoints[round] -= expectedScore[round][peer];
            expectedScore[round][peer] = 0;
        } catch {
            require(!allowed, "a good challenge was refused");
            ++refused;
        }
    }

    /// @dev The only leaf of a peer's tree; its seed is ground where the books say that it is false.
    function leafFor(uint64 round, bytes32 peer) internal view returns (IRolloutCommitments.Leaf memory leaf) {
        bytes32 beacon = round == 0 ? bytes32(0) : beacons[round - 1];
        leaf.policyHash = POLICY;
        leaf.seed = keccak256(abi.encode("waggle rollout", block.chainid, round, beacon, peer, uint32(0)));
        if (falseLeaf[round][peer]) leaf.seed = ~leaf.seed;
    }

    function rootFor(uint64 round, bytes32 peer) internal view returns (bytes32 root) {
        return parts.commitments.leafOf(round, peer, leafFor(round, peer));
    }

    function hasSeeds(uint64 round) internal view returns (bool has) {
        return round == 0 || beacons[round - 1] != 0;
    }

    function claim(uint256 draw) internal {
        claimed += parts.nectar.claim(peers[draw % PEERS]);
        claimed += parts.nectar.claim(evaluators[draw % EVALUATORS]);
    }

    function burn(uint256 draw) internal {
        address account = parts.registry.accountOf(peers[draw % PEERS]);
        uint256 amountWei = bound(draw >> 8, 0, parts.nectar.balanceOf(account));
        vm.prank(account);
        parts.nectar.burn(amountWei);
        burnt += amountWei;
    }

    /// @dev Sum of a peer's final scores, by the books.
    function expectedEarned(bytes32 peer) external view returns (uint256 amountWei) {
        for (uint64 round = 0; round + 3 < lastRound; ++round) {
            uint256 total = totalOf(round);
            if (total < expectedMean[round]) total = expectedMean[round];
            if (total != 0) amountWei += (1_000 ether * weightOf(round, peer)) / total;
        }
    }

    /// @dev Tries to move a beacon to another block, or to draw one out of its window or again. What is due may come.
    function tamper(uint256 draw) external {
        uint64 current = parts.rounds.currentRound();
        for (uint64 back = 1; back <= 4 && back <= current; ++back) {
            uint64 round = current - back;
            // Commitments of this round have their seeds from the beacon of that time.
            if (back == 1 && beacons[round] == 0 && order[current].length != 0) continue;
            try parts.rounds.fixBeacon(round) {
                note(back == 1);
            } catch {
                require(back != 1, "a beacon that is due was not fixed");
                ++refused;
            }
            (, uint256 blockNumber) = parts.rounds.beaconStateOf(round);
            vm.roll(block.number + 2);
            if (blockNumber != 0) vm.setBlockhash(blockNumber, keccak256(abi.encode(draw, round)));
            try parts.rounds.drawBeacon(round) returns (bytes32 beacon) {
                if (beacons[round] == 0) note(back == 1);
                if (beacons[round] == 0) beacons[round] = beacon;
            } catch {
                require(back != 1 && beacons[round] == 0, "a beacon that is due was not drawn");
                ++refused;
            }
        }
    }

    function changeSeats(uint256 draw) internal {
        bytes32 evaluator = evaluators[draw % EVALUATORS];
        bool seated = sits(parts.rounds.firstOpenRound(), evaluator);
        vm.prank(parts.admin);
        if (seated) parts.votes.removeEvaluator(evaluator);
        else parts.votes.admitEvaluator(evaluator);
        if (!seated) expectedMisses[evaluator] = 0;
    }

    function changeSchedule(uint256 draw) internal {
        uint64 fromRound = parts.rounds.firstOpenRound() + uint64(draw % 3);
        vm.prank(parts.admin);
        parts.rounds.setSchedule(fromRound, uint32(bound(draw >> 8, 1, 60)));
    }

    function attemptCommit(uint64 round, bytes32 peer, bytes32 root, bool allowed) internal {
        vm.prank(parts.registry.accountOf(peer));
        try parts.commitments.commit(round, peer, root, 1, POLICY, POLICY, 0) {
            note(allowed);
        } catch {
            require(!allowed, "a good commitment was refused");
            ++refused;
        }
    }

    function attemptSettle(uint64 round, bytes32 peer, bool inTime) internal {
        bytes32[] memory page = new bytes32[](1);
        page[0] = peer;
        (uint8 before, ) = parts.votes.outcomeOf(round, peer);
        bool isLate = isLastQuarter();
        bool allowed = inTime && !isLate && committedInTime[round][peer];
        if (allowed) judge(round);
        try parts.votes.settle(round, 0, page) {
            note(allowed);
            if (isLate) ++settledLate;
        } catch {
            require(!allowed, "a good settlement was refused");
            ++refused;
            return;
        }
        (uint8 actual, uint16 actualScore) = parts.votes.outcomeOf(round, peer);
        if (timesSettled[round][peer] != 0) {
            if (actual != before || parts.votes.points(peer) != expectedPoints[peer]) ++timesSettled[round][peer];
            return;
        }
        timesSettled[round][peer] = 1;
        ++settlements;
        (uint8 outcome, uint16 score) = (4, 0);
        if (annulled[round][peer]) outcome = 5;
        else if (!isVoid(round)) (outcome, score) = plainVerdict(round, peer);
        expectedPoints[peer] += score;
        expectedScore[round][peer] = score;
        scoredBefore[round][peer] = sumBefore(round, peer);
        expectedRoundPoints[round] += score;
        if (outcome == 1) ++scored;
        if (actual != outcome || actualScore != score) ++wronglySettled;
    }

    /// @dev Last quarter of the running round; one of less than four seconds has none.
    function isLastQuarter() internal view returns (bool is_) {
        uint64 current = parts.rounds.currentRound();
        uint256 endsAtSec = parts.rounds.endOf(current);
        return 4 * (endsAtSec - block.timestamp) <= endsAtSec - parts.rounds.startOf(current);
    }

    function plainVerdict(uint64 round, bytes32 peer) internal view returns (uint8 outcome, uint16 score) {
        uint256 quorum = parts.votes.committeeOf(round, 0).length / 2 + 1;
        uint16[] memory votesCast = cast[round][peer];
        return Median.outcome(votesCast, votesCast.length, quorum < 2 ? 2 : quorum);
    }

    /// @dev The books of absences, before the page that judges them.
    function judge(uint64 round) internal {
        if (judged[round] || isVoid(round)) return;
        judged[round] = true;
        bytes32[] memory committee = parts.votes.committeeOf(round, 0);
        uint256 heard = 0;
        for (uint256 i = 0; i < committee.length; ++i) if (opened[round][committee[i]]) ++heard;
        // The only shard there is: without a quorum the round is an outage.
        bool isOutage = heard < 2 || heard <= committee.length / 2;
        count(round, isOutage);
        for (uint256 i = 0; i < committee.length; ++i) {
            bytes32 key = committee[i];
            if (opened[round][key]) expectedMisses[key] = 0;
            else if (!isOutage && sits(parts.rounds.firstOpenRound(), key))
                expectedMisses[key] += sealed_[round][key] ? 3 : 1;
        }
    }

    function isVoid(uint64 round) public view returns (bool void_) {
        return beacons[round] == 0 || (round > 0 && beacons[round - 1] == 0);
    }

    function tryCommit(IRewardVotes.Ballot memory ballot, bool allowed) internal {
        (uint64 round, bytes32 evaluator) = (ballot.round, ballot.evaluatorKey);
        bytes32 hash = keccak256(abi.encode(block.chainid, address(parts.votes), ballot, bytes32(0)));
        vm.prank(parts.registry.accountOf(evaluator));
        try parts.votes.commitVotes(round, 0, ballot.position, evaluator, hash) {
            note(allowed);
            ballots[round][evaluator] = ballot;
            sealed_[round][evaluator] = true;
        } catch {
            require(!allowed, "a good commitment was refused");
            ++refused;
        }
    }

    function tryReveal(IRewardVotes.Ballot memory ballot, bool allowed) internal {
        uint64 round = ballot.round;
        vm.prank(parts.registry.accountOf(ballot.evaluatorKey));
        try parts.votes.revealVotes(ballot, bytes32(0)) {
            note(allowed);
            opened[round][ballot.evaluatorKey] = true;
            for (uint256 i = 0; i < order[round].length; ++i) {
                cast[round][order[round][i]].push(ballot.scoresMilli[i]);
            }
        } catch {
            require(!allowed, "a good reveal was refused");
            ++refused;
        }
    }

    /// @dev 5 and more where it does not sit on the round's committee. Keeps the committee's hash. A void round can have
    /// one: only the beacon before it was missed.
    function positionOf(uint64 round, bytes32 evaluator) internal returns (uint8 position) {
        if (beacons[round] == 0) return 7;
        bytes32[] memory committee = parts.votes.committeeOf(round, 0);
        committeeHash[round] = keccak256(abi.encode(committee));
        while (position < committee.length && committee[position] != evaluator) ++position;
        if (position == committee.length) position = 7;
    }

    function ballotFor(
        uint64 round,
        uint8 position,
        bytes32 evaluator,
        uint256 draw
    ) internal view returns (IRewardVotes.Ballot memory ballot) {
        uint256 count = order[round].length;
        (ballot.round, ballot.position, ballot.evaluatorKey) = (round, position, evaluator);
        (ballot.scoresMilli, ballot.componentRoots) = (new uint16[](count), new bytes32[](count));
        for (uint256 i = 0; i < count; ++i) {
            uint256 word = uint256(keccak256(abi.encode(draw, evaluator, i)));
            ballot.scoresMilli[i] = word % 4 == 0 ? GONE : uint16((word >> 8) % 1001);
        }
    }

    /// @dev Keeps the books of time: seats and start of each round, as they stand when it begins.
    function observe() internal {
        uint64 round = parts.rounds.currentRound();
        if (round < lastRound) wentBack = true;
        lastRound = round;
        for (; roundsSeen <= round; ++roundsSeen) {
            bytes32[] memory seats = parts.votes.seatsAt(roundsSeen);
            seatsHash[roundsSeen] = keccak256(abi.encode(seats));
            startsAtSec[roundsSeen] = parts.rounds.startOf(roundsSeen);
        }
    }

    function note(bool allowed) internal {
        if (!allowed) ++slipped;
    }

    function sits(uint64 round, bytes32 evaluator) internal view returns (bool seated) {
        bytes32[] memory seats = parts.votes.seatsAt(round);
        for (uint256 i = 0; i < seats.length; ++i) if (seats[i] == evaluator) return true;
    }
}
