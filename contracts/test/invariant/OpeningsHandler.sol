// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Nectar} from "../../src/Nectar.sol";
import {Openings} from "../../src/Openings.sol";
import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {RewardVotes} from "../../src/RewardVotes.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Rounds} from "../../src/Rounds.sol";
import {Stakes} from "../../src/Stakes.sol";
import {IOpenings} from "../../src/interfaces/IOpenings.sol";
import {ITaskPay} from "../../src/interfaces/ITaskPay.sol";
import {Median} from "../Median.sol";
import {ProposerBooks} from "./ProposerBooks.sol";

/// @dev Plays a round up to its openings, then lets three evaluators open leaves, the drawn one and others, and two
/// proposers claim the task at random, early, late, twice and with words that are not theirs. It keeps its own books, in the plainest form;
/// `slipped` counts what should have been refused.
contract OpeningsHandler is ProposerBooks {
    struct Parts {
        PeerRegistry registry;
        Rounds rounds;
        RolloutCommitments commitments;
        RewardVotes votes;
        Openings openings;
        Stakes stakes;
        Nectar nectar;
    }

    /// @dev In the current round: whether an evaluator opened, and the outcome.
    bool[3] internal hasOpened;
    bool internal isClosed;
    bool internal isTaskPaid;
    /// @dev The proposer of the drawn leaf's task.
    bytes32 internal answered;
    bool internal isPlayed;

    uint256 public closed;
    uint256 public paid;
    uint256 public tasksPaid;

    constructor(Parts memory parts, bytes32[] memory evaluators_, bytes32[] memory solvers_) {
        (registry, rounds, commitments) = (parts.registry, parts.rounds, parts.commitments);
        (votes, openings, stakes, nectar) = (parts.votes, parts.openings, parts.stakes, parts.nectar);
        (evaluators, solvers) = (evaluators_, solvers_);
        // The balance before.
        claimedWei[solvers[0]] = nectar.totalSupply();
    }

    /// @dev Not the fixture's: the runner calls every function of a handler.
    function setUp() public override {}

    /// @dev Proposes for the next round and plays it, once the one before is over.
    function play(uint256 draw) internal {
        if (isPlayed) lastBase = base;
        base = rounds.currentRound() + 2;
        (isPlayed, isClosed, isTaskPaid, hasOpened) = (true, false, false, [false, false, false]);
        answered = solvers[1 + ((draw >> 20) % 2)];
        task = commitments.taskHashOf(answered, 2);
        proposeFor(draw);
        enterRound(base);
        for (uint256 i = 0; i < 3; ++i) {
            uint256 word = uint256(keccak256(abi.encode(draw, i)));
            cast[i] = word % 8 == 0 ? GONE : uint16(480 + ((word >> 8) % 45));
        }
        playVotes(scoreFrom(draw >> 32), scoreFrom(draw >> 64), scoreFrom(draw >> 96), 1);
    }

    /// @dev Passes a round, or plays the next one; mostly after what is due in it.
    function pass(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        uint64 current = rounds.currentRound();
        if (isPlayed && (draw >> 1) % 4 != 0) doDuties(draw >> 3);
        if (!isPlayed || current >= base + 6 + (draw % 2)) play(draw >> 1);
        else enterRound(current + 1);
    }

    function doDuties(uint256 draw) internal {
        uint64 current = rounds.currentRound();
        if (current == base + 4) open(draw);
        else if (current == base + 5) for (uint256 i = 0; i < 3; ++i) claim(draw >> (64 * i));
        else fault(draw << 1);
    }

    /// @dev Some of the evaluators, or one of them twice.
    function open(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        if (!isPlayed) return;
        for (uint256 i = 0; i < 3; ++i) tryOpen((draw >> (32 * i)) % 4 == 0 ? 0 : i, draw >> (32 * i + 4));
    }

    function tryOpen(uint256 at, uint256 draw) internal {
        bool isOther = draw % 4 == 0;
        uint32 other = uint32((drawnIndex + 1 + ((draw >> 2) % 7)) % 8);
        IOpenings.Opening memory opening = openingOf(at, isOther ? other : drawnIndex);
        uint256 lie = (draw >> 4) % 16;
        if (lie == 0) opening.scoreMilli = (opening.scoreMilli + 1) % 1001;
        if (lie == 1) opening.leaf = leafAt(isOther ? drawnIndex : other);
        if (lie == 2) opening.peerKey = solvers[1];
        if (lie == 3) opening.salt = ~SALT;
        // The account of another seat, or of a proposer.
        address sender = accountNamed(
            lie == 4
                ? 100 + ((at + 1) % 3)
                : lie == 5
                    ? 201
                    : 100 + at
        );
        (bool isScored, uint16 settled) = plainMedian(cast, 2);
        bool allowed = rounds.currentRound() == base + 4 && !hasOpened[at] && !isOther && lie > 5;
        allowed = allowed && isScored && apart(cast[at], settled) <= 25;
        vm.prank(sender);
        try openings.open(opening) {
            note(allowed);
            hasOpened[at] = true;
        } catch {
            require(!allowed, "a good opening was refused");
            ++refused;
        }
    }

    function close(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        if (!isPlayed) return;
        bool allowed = rounds.currentRound() == base + 5;
        uint64 round = draw % 8 == 0 ? base + 1 : base;
        try openings.close(round, 0) {
            note(round == base ? allowed : rounds.currentRound() == round + 5);
            if (round == base) noteClosing();
        } catch {
            require(!allowed || round != base, "a good closing was refused");
            ++refused;
        }
    }

    function claim(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        if (!isPlayed) return;
        bytes32 proposer = solvers[1 + (draw % 2)];
        uint256 lie = (draw >> 8) % 6;
        ITaskPay.TaskClaim memory claim_ = claimOf(proposer, lie == 0 ? 1 : 2);
        if (lie == 1) claim_.leaf = leafAt(drawnIndex ^ 1);
        if (lie == 1) claim_.leafProof[0] = commitments.leafOf(base, solvers[0], leafAt(drawnIndex));
        bool allowed = rounds.currentRound() == base + 5 && lie > 1 && proposer == answered && !isTaskPaid;
        (bool isAgreed, uint16 median) = plainAgreement();
        allowed = allowed && isAgreed && hasProposed[base][proposer];
        try openings.claimTask(claim_) {
            note(allowed);
            noteClosing();
            if (!allowed) return;
            isTaskPaid = true;
            expectedWei[proposer] += held((100 ether * 4 * uint256(median) * (1000 - median)) / 1e6);
            ++tasksPaid;
        } catch {
            require(!allowed, "a good claim was refused");
            ++refused;
        }
    }

    function evaluatorAt(uint256 index) external view returns (bytes32 peerKey) {
        return evaluators[index];
    }

    function solverAt(uint256 index) external view returns (bytes32 peerKey) {
        return solvers[index];
    }

    /// @dev A fifth of the emission for each seat within the tolerance, less by how far its vote was from the peer's
    /// score.
    function noteClosing() internal {
        if (isClosed) return;
        isClosed = true;
        ++closed;
        (bool isAgreed, uint16 median) = plainAgreement();
        if (!isAgreed) return;
        (, uint16 settled) = plainMedian(cast, 2);
        for (uint256 i = 0; i < 3; ++i) {
            if (!hasOpened[i] || apart(scores[i], median) > 25) continue;
            expectedWei[evaluators[i]] += ((held(200 ether) / 5) * (26 - apart(cast[i], settled))) / 26;
            ++paid;
        }
    }

    /// @dev The emission, less if the round weighs less than its limit.
    function held(uint256 amountWei) internal view returns (uint256 leftWei) {
        (uint256 weight, uint256 meanWeight) = weightsIn(base);
        return weight < meanWeight ? (amountWei * weight) / meanWeight : amountWei;
    }

    /// @dev The lower median of the scores of those who opened, two at least.
    function plainAgreement() internal view returns (bool isAgreed, uint16 median) {
        uint16[] memory opened = new uint16[](3);
        uint256 count = 0;
        for (uint256 i = 0; i < 3; ++i) if (hasOpened[i]) opened[count++] = scores[i];
        if (count < 2) return (false, 0);
        (, median) = Median.outcome(opened, count, 2);
        isAgreed = true;
    }

    function plainMedian(uint16[3] memory given, uint256 quorum) internal pure returns (bool isScored, uint16 median) {
        uint16[] memory all = new uint16[](3);
        for (uint256 i = 0; i < 3; ++i) all[i] = given[i];
        uint8 kind = 0;
        (kind, median) = Median.outcome(all, 3, quorum);
        isScored = kind == 1;
    }

    /// @dev Mostly near one another.
    function scoreFrom(uint256 draw) internal pure returns (uint16 scoreMilli) {
        return uint16(draw % 4 == 0 ? (draw >> 8) % 1001 : 600 + ((draw >> 8) % 40));
    }

    function apart(uint16 a, uint16 b) internal pure returns (uint256 milli) {
        return a > b ? a - b : b - a;
    }
}
