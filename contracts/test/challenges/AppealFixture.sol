// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "../../src/interfaces/IRewardVotes.sol";
import {LeafFixture} from "./LeafFixture.sol";

/// @dev Thirteen seats, so that a first appeal goes to some of them and a second to all; round 0 has two peers.
abstract contract AppealFixture is LeafFixture {
    address internal constant APPELLANT = address(0xA99E);
    address internal constant SECOND = address(0x5EC0);
    /// @dev A seat that says nothing, and one that does not reveal.
    uint16 internal constant SILENT = 5000;
    uint16 internal constant SEALED = 5001;

    mapping(uint8 level => bytes32[] seatKeys) internal juries;
    /// @dev One of the first two solvers.
    bytes32 internal appealed;

    function setUp() public virtual override {
        super.setUp();
        vm.warp(START - 1);
        for (uint256 i = 3; i < 13; ++i) {
            evaluators.push(enrol(100 + i, accountNamed(100 + i)));
            votes.admitEvaluator(evaluators[i]);
        }
        vm.warp(START);
        vm.deal(APPELLANT, 1 ether);
        vm.deal(SECOND, 1 ether);
        appealed = solvers[0];
    }

    /// @dev Plays round 0 up to round 3: the committee gives the appealed solver these scores, and the other 400.
    function playSettled(uint16[5] memory scores) internal {
        commitBoth();
        enterRound(1);
        settleBy(scores);
    }

    /// @dev The same from round 1 on.
    function settleBy(uint16[5] memory scores) internal {
        IRewardVotes.Ballot[5] memory ballots;
        bytes32[] memory committee = votes.committeeOf(0, 0);
        for (uint256 i = 0; i < 5; ++i) {
            ballots[i] = ballotOf(0, committee[i], scoresBy(scores[i], 400));
            commitBallot(ballots[i]);
        }
        enterRound(2);
        for (uint256 i = 0; i < 5; ++i) revealBallot(ballots[i]);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(2));
    }

    function playSettled(uint16 score) internal {
        playSettled([score, score, score, score, score]);
    }

    /// @dev The round's commitments of the first two solvers, in their order.
    function commitBoth() internal {
        for (uint256 i = 0; i < 2; ++i) {
            if (solvers[i] == appealed) commitDrawn(appealed);
            else commitRollouts(solvers[i]);
        }
    }

    function appealAs(address account) internal {
        uint256 bondWei = challenges.appealBond(challenges.caseOf(0, appealed).levels + 1);
        vm.prank(account);
        challenges.appeal{value: bondWei}(0, appealed);
    }

    /// @dev Plays the newest appeal: each seat of its jury gives the score; up to the round in which it is known.
    function playVerdict(uint16 score) internal {
        playVerdicts(sameScores(score));
    }

    function playVerdicts(uint16[] memory scores) internal {
        uint64 opened = challenges.caseOf(0, appealed).last.openedRound;
        enterRound(opened + 1);
        sealVerdicts(scores);
        enterRound(opened + 2);
        revealVerdicts(scores);
        enterRound(opened + 3);
    }

    function sealVerdicts(uint16[] memory scores) internal {
        uint8 level = challenges.caseOf(0, appealed).levels;
        bytes32[] memory jury = challenges.juryOf(0, appealed);
        juries[level] = jury;
        for (uint32 i = 0; i < jury.length; ++i) {
            if (scores[i] != SILENT) commitVerdictAs(registry.accountOf(jury[i]), level, i, jury[i], scores[i]);
        }
    }

    function revealVerdicts(uint16[] memory scores) internal {
        uint256 drawn = challenges.juryOf(0, appealed).length;
        for (uint32 i = 0; i < drawn; ++i) {
            if (scores[i] != SILENT && scores[i] != SEALED) {
                challenges.revealVerdict(0, appealed, i, scores[i], SALT);
            }
        }
    }

    function commitVerdictAs(address account, uint8 level, uint32 position, bytes32 seat, uint16 score) internal {
        bytes32 hash = keccak256(
            abi.encode(block.chainid, address(challenges), uint64(0), appealed, level, position, seat, score, SALT)
        );
        vm.prank(account);
        challenges.commitVerdict(0, appealed, position, seat, hash);
    }

    function judgeAll(uint8 level, uint256 count) internal {
        uint32[] memory positions = new uint32[](count);
        for (uint32 i = 0; i < count; ++i) positions[i] = i;
        challenges.judgeSeats(0, appealed, level, positions);
    }

    /// @dev The votes on both solvers, in their order.
    function scoresBy(uint16 onAppealed, uint16 onOther) internal view returns (uint16[] memory scores) {
        return appealed == solvers[0] ? scoresOf(onAppealed, onOther) : scoresOf(onOther, onAppealed);
    }

    function sameScores(uint16 score) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](13);
        for (uint256 i = 0; i < 13; ++i) scores[i] = score;
    }

    function expectScore(uint8 outcome, uint16 scoreMilli) internal view {
        (uint8 actual, uint16 actualScore) = votes.outcomeOf(0, appealed);
        vm.assertEq(actual, outcome);
        vm.assertEq(actualScore, scoreMilli);
        vm.assertEq(votes.points(appealed), scoreMilli);
        vm.assertEq(pointsIn(0), uint256(scoreMilli) + 400);
    }
}
