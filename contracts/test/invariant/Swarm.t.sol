// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "../SwarmFixture.sol";
import {SwarmHandler} from "./SwarmHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract SwarmInvariants is SwarmFixture {
    SwarmHandler internal handler;

    function setUp() public override {
        super.setUp();
        bytes32[] memory peers = new bytes32[](4);
        bytes32[] memory evaluators = new bytes32[](8);
        for (uint256 i = 0; i < 4; ++i) peers[i] = enrol(1 + i, accountNamed(i));
        for (uint256 i = 0; i < 8; ++i) {
            evaluators[i] = enrol(100 + i, accountNamed(100 + i));
            if (i < 7) votes.admitEvaluator(evaluators[i]);
        }
        handler = new SwarmHandler(
            SwarmHandler.Parts(registry, rounds, commitments, votes, challenges, nectar, address(this)),
            peers,
            evaluators
        );
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a score.
    function test_TheHandlerReachesScoresAndRefusals() public {
        for (uint256 i = 0; i < 24; ++i) handler.pass(uint256(keccak256(abi.encode(i))));
        vm.assertLe(6, handler.scored());
        vm.assertLe(12, handler.settlements());
        vm.assertLe(24, handler.refused());
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_S1_PointsAreTheSumOfSettledScores() public view {
        vm.assertEq(handler.wronglySettled(), 0);
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            vm.assertEq(votes.points(handler.peers(i)), handler.expectedPoints(handler.peers(i)));
        }
    }

    function invariant_S2_APeersRoundIsSettledOnce() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            for (uint256 i = 0; i < handler.PEERS(); ++i) {
                vm.assertLe(handler.timesSettled(round, handler.peers(i)), 1);
            }
        }
    }

    function invariant_S3_NothingIsSettledWithoutACommitmentInTime() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            for (uint256 i = 0; i < handler.PEERS(); ++i) {
                bytes32 peer = handler.peers(i);
                if (handler.timesSettled(round, peer) != 0) vm.assertTrue(handler.committedInTime(round, peer));
            }
        }
    }

    function invariant_S4_NothingOutOfTimeOrTurnGetsThrough() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_S5_ARoundsTotalIsTheSumOfItsScores() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            vm.assertEq(pointsIn(round), handler.expectedRoundPoints(round));
        }
    }

    function invariant_S6_NothingIsSettledTooLateToBeAppealed() public view {
        vm.assertEq(handler.settledLate(), 0);
    }

    function invariant_V1_SeatsOfABegunRoundAreFrozen() public view {
        for (uint64 round = firstRemembered(); round < handler.roundsSeen(); ++round) {
            vm.assertEq(keccak256(abi.encode(votes.seatsAt(round))), handler.seatsHash(round));
        }
    }

    function invariant_V2_SeatsAreDistinct() public view {
        requireDistinct(votes.seatsAt(rounds.firstOpenRound()));
    }

    function invariant_V3_ACommitteeIsFiveDistinctSeatsAndNeverChanges() public view {
        for (uint64 round = firstRemembered(); round < handler.lastRound(); ++round) {
            if (handler.beacons(round) == 0) continue;
            bytes32[] memory committee = votes.committeeOf(round, 0);
            bytes32[] memory seats = votes.seatsAt(round);
            vm.assertEq(committee.length, seats.length < 5 ? seats.length : 5);
            requireDistinct(committee);
            for (uint256 i = 0; i < committee.length; ++i) vm.assertTrue(isIn(committee[i], seats));
            bytes32 drawn = handler.committeeHash(round);
            if (drawn != 0) vm.assertEq(keccak256(abi.encode(committee)), drawn);
        }
    }

    function invariant_V4_MissesAreThoseOfTheBooksAndTakeASeatAtSix() public view {
        for (uint256 i = 0; i < handler.EVALUATORS(); ++i) {
            bytes32 evaluator = handler.evaluators(i);
            vm.assertEq(votes.missesOf(evaluator), handler.expectedMisses(evaluator));
            if (votes.missesOf(evaluator) >= 6) {
                vm.assertFalse(isIn(evaluator, votes.seatsAt(rounds.firstOpenRound())));
            }
        }
    }

    function invariant_B1_ABeaconNeverChangesAndAVoidRoundHasNone() public view {
        for (uint64 round = 0; round < handler.lastRound(); ++round) {
            vm.assertEq(rounds.beaconOf(round), handler.beacons(round));
        }
    }

    function invariant_B2_AVoidRoundGivesNoPoints() public view {
        for (uint64 round = 0; round < handler.lastRound(); ++round) {
            if (handler.isVoid(round)) vm.assertEq(pointsIn(round), 0);
        }
    }

    function invariant_N1_TheSupplyIsWhatWasClaimedLessWhatWasBurnt() public view {
        vm.assertEq(nectar.totalSupply(), handler.claimed() - handler.burnt());
        uint256 sum = 0;
        for (uint256 i = 0; i < handler.PEERS(); ++i) sum += nectar.claimedOf(handler.peers(i));
        for (uint256 i = 0; i < handler.EVALUATORS(); ++i) sum += nectar.claimedOf(handler.evaluators(i));
        vm.assertEq(sum, handler.claimed());
    }

    function invariant_N2_APeerHasEarnedItsSharesOfFinalRoundsForEver() public view {
        for (uint256 i = 0; i < handler.PEERS(); ++i) requireEarned(handler.peers(i));
        for (uint256 i = 0; i < handler.EVALUATORS(); ++i) requireEarned(handler.evaluators(i));
    }

    function requireEarned(bytes32 peer) internal view {
        vm.assertEq(votes.earnedOf(peer), handler.expectedEarned(peer));
        vm.assertLe(nectar.claimedOf(peer), votes.earnedOf(peer));
    }

    function invariant_N3_NoMoreIsEarnedThanRoundsEmitted() public view {
        uint256 earned = 0;
        uint256 emitted = 0;
        for (uint256 i = 0; i < handler.PEERS(); ++i) earned += votes.earnedOf(handler.peers(i));
        for (uint256 i = 0; i < handler.EVALUATORS(); ++i) earned += votes.earnedOf(handler.evaluators(i));
        for (uint64 round = 0; round < handler.lastRound(); ++round) {
            if (pointsIn(round) != 0) emitted += votes.EMISSION_WEI();
        }
        vm.assertLe(earned, emitted);
    }

    function invariant_N4_ARoundIsHeldToTheMeanWeightOfThoseCountedBefore() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            if (!handler.judged(round)) continue;
            (uint256 weight, uint256 meanWeight) = weightsIn(round);
            vm.assertEq(weight, handler.totalOf(round));
            // An outage without scores pays nobody.
            if (weight != 0) vm.assertEq(meanWeight, handler.expectedMean(round));
        }
    }

    function invariant_F1_NoHonestLeafIsAnnulledAndAnAnnulledRoundGivesNothing() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            for (uint256 i = 0; i < handler.PEERS(); ++i) {
                bytes32 peer = handler.peers(i);
                if (!handler.annulled(round, peer)) continue;
                vm.assertTrue(handler.falseLeaf(round, peer));
                vm.assertEq(handler.expectedScore(round, peer), 0);
            }
        }
    }

    function invariant_R1_RoundsNeverGoBack() public view {
        vm.assertFalse(handler.wentBack());
        vm.assertLe(handler.lastRound(), rounds.currentRound());
    }

    function invariant_R2_BoundsOfABegunRoundNeverChange() public view {
        for (uint64 round = 0; round < handler.roundsSeen(); ++round) {
            vm.assertEq(rounds.startOf(round), handler.startsAtSec(round));
            if (round > 0) vm.assertEq(rounds.endOf(round - 1), handler.startsAtSec(round));
        }
    }

    /// @dev The oldest round whose seats must still be known: that which is settled now.
    function firstRemembered() internal view returns (uint64 round) {
        return handler.lastRound() < 3 ? 0 : handler.lastRound() - 3;
    }

    function requireDistinct(bytes32[] memory keys) internal pure {
        for (uint256 i = 0; i < keys.length; ++i) {
            for (uint256 j = 0; j < i; ++j) vm.assertTrue(keys[i] != keys[j]);
        }
    }

    function isIn(bytes32 key, bytes32[] memory keys) internal pure returns (bool found) {
        for (uint256 i = 0; i < keys.length; ++i) if (keys[i] == key) return true;
    }
}
